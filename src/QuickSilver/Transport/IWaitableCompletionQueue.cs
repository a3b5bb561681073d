using QuickSilver.Protocol.Core;

namespace QuickSilver.Transport;

/// <summary>A completion queue that the core thread can sleep in.</summary>
internal interface IWaitableCompletionQueue : ICompletionQueue
{
    /// <summary>True when completions are known to be ready without asking the kernel: the core must not sleep. Core thread only.</summary>
    bool HasReady { get; }

    /// <summary>Bytes that came in with the completions taken so far. Core thread only.</summary>
    ulong BytesRead { get; }

    /// <summary>
    /// Waits until a completion is ready, <see cref="Wake"/> is called, or the time is up; may return early. Core thread only.
    /// </summary>
    /// <param name="atMost">How long; <see cref="Timeout.InfiniteTimeSpan"/> for as long as it takes; zero only looks.</param>
    /// <returns>True when something happened, false when the time was up.</returns>
    bool Wait(TimeSpan atMost);

    /// <summary>
    /// Ends the present <see cref="Wait"/>, or the next one. Any thread; a system call, so called only when the core has declared itself asleep.
    /// </summary>
    void Wake();
}
