using QuickSilver.Protocol.Core;

namespace QuickSilver.Loop;

/// <summary>Whoever runs a <see cref="CoreThread"/> hears of it here. All calls come on the core thread, never re-entered.</summary>
internal interface ICoreObserver
{
    /// <summary>A turn has ended: time to publish, in one go, what it produced. Called after every turn, before the thread may sleep.</summary>
    /// <param name="now">The end of the turn.</param>
    /// <param name="wasBusy">True when the turn did something.</param>
    void OnTurnEnded(Instant now, bool wasBusy);

    /// <summary>
    /// The thread is about to end because it was told to: shut the protocol down and dispose the transport here. Requests accepted before have been
    /// run; new ones are refused.
    /// </summary>
    void OnStopping(Instant now);

    /// <summary>
    /// Something threw on the core thread: the protocol's state is in doubt and the node is finished. Called once, instead of
    /// <see cref="ICoreObserver.OnStopping"/>; requests that were accepted are still run after it, so that nobody waits for ever, and their targets
    /// must know by then that the node has failed.
    /// </summary>
    void OnFault(Exception fault, Instant now);
}
