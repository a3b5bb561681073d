namespace QuickSilver.Protocol.Core;

/// <summary>Requests from application threads, run on the core thread.</summary>
internal interface IRequestQueue
{
    /// <summary>Runs all requests that were there when the call began; later ones wait for the next turn.</summary>
    /// <returns>How many were run.</returns>
    int RunAll(Instant now);
}
