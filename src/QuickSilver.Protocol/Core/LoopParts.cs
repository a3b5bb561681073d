namespace QuickSilver.Protocol.Core;

/// <summary>The parts that a <see cref="LoopTurn"/> drives.</summary>
/// <param name="Clock">Read a few times a turn.</param>
/// <param name="Requests">Requests from application threads.</param>
/// <param name="Completions">Finished reads.</param>
/// <param name="Handler">Handles them.</param>
/// <param name="Alarms">Timers.</param>
/// <param name="Roots">Asked for datagrams to send.</param>
internal sealed record LoopParts(
    IClock Clock,
    IRequestQueue Requests,
    ICompletionQueue Completions,
    ICompletionHandler Handler,
    AlarmQueue Alarms,
    IPullRoots Roots);
