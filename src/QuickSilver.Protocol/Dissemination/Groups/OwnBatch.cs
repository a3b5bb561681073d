using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The last step of a node's own messages to its own delivery: those that stand side by side in one packet are handed over together. Whoever adds one
/// flushes before the memory that it lies in may go, a packet when it is closed. Cost: O(1) a message. Core thread only.
/// </summary>
/// <param name="context">The node's.</param>
internal sealed class OwnBatch(SendContext context)
{
    private GroupSender? _group;
    private StepNumber _step;
    private DeliveryBatch _run;

    /// <summary>Messages are next; what was added before goes first if it is not of one run with them.</summary>
    public void Add(GroupSender group, StepNumber step, in DeliveryBatch next, Instant now)
    {
        // A packet is of one step; but what waited for it may be of a newer one, and lie where it would be next.
        if (_group == group && _step == step && _run.TryAppend(next)) return;
        Flush(now);
        _group = group;
        _step = step;
        _run = next;
    }

    /// <summary>Hands over what was added. A handler may send meanwhile, and so come here again.</summary>
    public void Flush(Instant now)
    {
        if (_group is not { } group) return;
        DeliveryBatch run = _run;
        StepNumber step = _step;
        _group = null;
        _run = default;
        if (!context.IsClosed) group.Listener?.OnOwnMessages(step, run, now);
    }
}
