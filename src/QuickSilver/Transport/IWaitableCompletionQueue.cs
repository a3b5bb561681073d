using QuickSilver.Protocol.Core;

namespace QuickSilver.Transport;

/// <summary>A completion queue that the core thread can sleep in.</summary>
internal interface IWaitableCompletionQueue : ICompletionQueue
{
    /// <summary>True when completions are known to be ready, without a system call: the core must not sleep. Core
    /// thread only.</summary>
    bool HasReady { get; }

    /// <summary>The bytes of the completions taken so far. Core thread only.</summary>
    ulong BytesRead { get; }

    /// <summary>
    /// Blocks until a completion is ready, <see cref="Wake"/> is called, or the time has passed; may return early. Core
    /// thread only.
    /// </summary>
    /// <param name="limit">The time limit; <see cref="Timeout.InfiniteTimeSpan"/> for none; zero only checks.</param>
    /// <returns>False when the time has passed.</returns>
    bool Wait(TimeSpan limit);

    /// <summary>
    /// Ends the present <see cref="Wait"/>, or the next one. Any thread. Costs a system call, so it is called only when
    /// the core has declared its sleep.
    /// </summary>
    void Wake();
}
