namespace QuickSilver.Protocol.Core;

/// <summary>What a <see cref="LoopTurn"/> turns over.</summary>
/// <param name="Clock">Read a few times a turn.</param>
/// <param name="Requests">Requests from application threads.</param>
/// <param name="Completions">Finished reads.</param>
/// <param name="Handler">Handles them.</param>
/// <param name="Alarms">Timers.</param>
/// <param name="Roots">What may have something to send.</param>
public sealed record LoopParts(
    IClock Clock, IRequestQueue Requests, ICompletionQueue Completions, ICompletionHandler Handler, AlarmQueue Alarms, IPullRoots Roots);
