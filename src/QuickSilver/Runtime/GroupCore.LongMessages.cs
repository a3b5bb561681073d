using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>The long messages of a group: their pieces leave the way of messages here, before handlers and inboxes, and
/// go to the handles that read long messages.</summary>
internal sealed partial class GroupCore
{
    /// <summary>Counts a long message that the node begins. Any thread.</summary>
    /// <returns>False when the node has as many under way as receivers are sure to take.</returns>
    public bool TryOpenWriter()
    {
        Rarities rare = Rare;
        if (Interlocked.Increment(ref rare.OpenWriters) <= LongMessages.MaxOpenPerHandle) return true;
        Interlocked.Decrement(ref rare.OpenWriters);
        return false;
    }

    /// <summary>Counts the end of a long message of the node. Any thread.</summary>
    public void OnWriterClosed() => Interlocked.Decrement(ref Rare.OpenWriters);

    /// <inheritdoc/>
    public void OnSenderClosed(NodeInfo sender, Instant now)
    {
        Services.CheckCoreThread();
        _rare?.LongMessages?.OnSenderClosed(sender);
    }

    /// <summary>Sends a piece of a long message, behind all that was admitted, whatever the limits are. Core thread
    /// only.</summary>
    public void SendNow(PooledPayload piece)
    {
        Services.CheckCoreThread();
        if (Sender is null || Volatile.Read(ref _isClosed)) piece.Return();
        else Outbox.Append(this, piece);
    }

    private void OnPiece(NodeInfo sender, in DeliveryBatch piece)
    {
        Rarities rare = Rare;
        rare.LongMessages ??= Local?.ReceiveLongMessages(BeginLongMessage);
        rare.LongMessages?.OnPiece(sender, piece);
    }

    private ILongMessageSink? BeginLongMessage(NodeInfo sender, ulong number)
    {
        // A sender that leaves is seen by the views.
        WatchViews();
        bool isOwn = ReferenceEquals(sender, _node.Self);
        ILongMessageSink? first = null;
        List<ILongMessageSink>? all = null;
        foreach (GroupHandle handle in Handles)
        {
            if (isOwn && !handle.Settings.SelfDelivery) continue;
            if (handle.BeginLongMessage(sender, number) is not { } body) continue;
            if (first is null) first = body;
            else (all ??= [first]).Add(body);
        }
        return all is null ? first : new Shared(all);
    }

    // One long message that several handles of the node read.
    private sealed class Shared(List<ILongMessageSink> sinks) : ILongMessageSink
    {
        public bool OnBytes(in Slice bytes)
        {
            for (int index = sinks.Count - 1; index >= 0; index--)
            {
                if (!sinks[index].OnBytes(bytes)) sinks.RemoveAt(index);
            }
            return sinks.Count > 0;
        }

        public void OnEnded(LongMessageEnd end)
        {
            foreach (ILongMessageSink sink in sinks) sink.OnEnded(end);
        }
    }
}
