namespace QuickSilver.Protocol.Core;

/// <summary>
/// Notified when a part of a turn took too long: usually user code that runs inline, or an overloaded machine.
/// </summary>
internal interface IStallObserver
{
    /// <summary>
    /// A phase took longer than <see cref="LoopQuanta.StallWarning"/>. Called on the core thread at the end of the
    /// phase; must be short and must not throw.
    /// </summary>
    void OnStall(TurnPhase phase, TimeSpan took, Instant now);
}
