using QuickSilver.Protocol.Core;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>An entry of the core between the messages of a stage: reached when the protocol has taken and counted all
/// messages before it. It may stand in several stages, and is reached when it is in all of them. Core thread
/// only.</summary>
/// <param name="reached">Called once, unless the barrier fails.</param>
/// <param name="failed">Called with the reason when the node gives the messages up; may be null.</param>
internal sealed class StageBarrier(Action<Instant> reached, Action<Exception>? failed = null) : IStageBarrier
{
    private int _places = 1;

    /// <summary>The barrier stands at one more place.</summary>
    public void Share() => _places++;

    /// <summary>The messages before the barrier have been taken, at one of its places.</summary>
    public void Reach(Instant now)
    {
        if (--_places == 0) reached(now);
    }

    /// <summary>The messages before the barrier are given up.</summary>
    public void Fail(Exception reason) => failed?.Invoke(reason);
}
