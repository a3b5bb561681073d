using QuickSilver.Protocol.Core;

namespace QuickSilver.Loop;

/// <summary>Receives the events of a <see cref="CoreThread"/>, on that thread and without re-entrance.</summary>
internal interface ICoreObserver
{
    /// <summary>Publishes the results of a turn together. Called after every turn, before the thread may
    /// sleep.</summary>
    /// <param name="now">The end of the turn.</param>
    /// <param name="wasBusy">True when the turn did something.</param>
    void OnTurnEnded(Instant now, bool wasBusy);

    /// <summary>
    /// Shuts the protocol down and disposes of the transport, before a requested end of the thread. Accepted requests
    /// have run; new ones are refused.
    /// </summary>
    void OnStopping(Instant now);

    /// <summary>
    /// Ends the node after an exception on the core thread, which leaves the protocol in an unknown state. Called once,
    /// instead of <see cref="ICoreObserver.OnStopping"/>. Accepted requests still run afterwards, so that no caller
    /// waits for ever. Their targets must know by then that the node has failed.
    /// </summary>
    void OnFault(Exception fault, Instant now);
}
