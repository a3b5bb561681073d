namespace QuickSilver.Testing.Disturbances;

/// <summary>One bin of a <see cref="DisturbanceResult.Curve"/>. Rates are messages a second within the bin; the rest is
/// as of its end.</summary>
/// <param name="Time">End of the bin, counted from the first message.</param>
/// <param name="Sent">Rate at the senders together.</param>
/// <param name="Witness">Rate of delivery at the undisturbed receiver, of all senders.</param>
/// <param name="Victim">Rate of delivery at the disturbed node.</param>
/// <param name="Completed">Rate of messages that became known stable at their senders.</param>
/// <param name="Pending">Messages sent and not known stable, of all senders.</param>
/// <param name="Latency">Mean time from admission to delivery at the witness in the bin; zero when nothing was
/// delivered.</param>
/// <param name="VictimLatency">The same at the disturbed node.</param>
/// <param name="TokenRound">Smoothed duration of the first leader's token rounds.</param>
/// <param name="SenderLoad">Share of the bin for which the first sender worked, pauses included.</param>
/// <param name="VictimLoad">The same of the disturbed node.</param>
internal sealed record CurvePoint(
    TimeSpan Time, double Sent, double Witness, double Victim, double Completed, long Pending, TimeSpan Latency,
    TimeSpan VictimLatency,
    TimeSpan TokenRound, double SenderLoad, double VictimLoad);
