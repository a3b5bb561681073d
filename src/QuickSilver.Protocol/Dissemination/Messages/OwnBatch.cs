using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// The last step of a node's own messages to its own delivery: messages side by side in one packet are delivered
/// together. The adder flushes before the memory of the messages may be released: a packet, when it is closed. Cost:
/// O(1) a message. Core thread only.
/// </summary>
/// <param name="context">The node's shared state.</param>
internal sealed class OwnBatch(SendContext context)
{
    private GroupLedger? _group;
    private StepNumber _step;
    private DeliveryBatch _batch;

    /// <summary>
    /// Adds the next messages; earlier ones that do not form one batch with them are delivered first.
    /// </summary>
    public void Add(GroupLedger group, StepNumber step, in DeliveryBatch next, Instant now)
    {
        // A packet is of one step. But messages that waited for it may be of a newer step, and lie right behind it.
        if (_group == group && _step == step && _batch.TryAppend(next)) return;
        group.Listener?.PrepareForOwn();
        Flush(now);
        _group = group;
        _step = step;
        _batch = next;
    }

    /// <summary>Delivers the added messages. A handler may send meanwhile, and so enter again.</summary>
    public void Flush(Instant now)
    {
        if (_group is not { } group) return;
        DeliveryBatch batch = _batch;
        StepNumber step = _step;
        _group = null;
        _batch = default;
        if (!context.IsClosed) group.Listener?.OnOwnMessages(step, batch, now);
    }
}
