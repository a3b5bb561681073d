using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// Lets the sources of one stream's direct groups write their messages where they will be sent from.
/// <para>
/// Idea: a message that nobody waits for, that goes to one view and follows nothing that is still to be packed needs no record and no queue. Its
/// source is asked when a packet has room, writes behind the place of the head, and what is left is to number it: a packet's messages of a group are
/// counted, and delivered here, as one run if they have one length.
/// </para>
/// <para>
/// Awkward cases: the head is written last, since it names the length; the place assumes a length field like that of the message before, and a
/// message that needs another is moved by a byte or two. A message that does not fit is written elsewhere and bound like any other: then a part of it
/// fills the packet. While messages of the group wait for their delivery here, in streams of older steps, the next is bound, too. A source may end
/// its group, or leave it: what it wrote before is sent.
/// </para>
/// Cost: O(1) per message; one call of the source, no copy. Allocates nothing in steady state. Core thread only.
/// </summary>
internal sealed class SourcePacker(SendContext context, RegionView view, StreamMessages messages)
{
    // After so much it is another group's turn.
    private const int TurnBytes = 8 << 10;

    private readonly Epoch _epoch = view.Number.Epoch;
    private readonly RingQueue<GroupSender> _groups = messages.Backlog.Direct;
    private int _usualField = 1;

    /// <summary>Asks the groups in turn, until one has something, for as much as it has and its turn allows.</summary>
    /// <returns>False when no group has anything. Otherwise messages are in the packet, or the last of them, which did not fit, is in the
    /// buffer.</returns>
    public bool TryPack(in Slice slot, ref WireWriter writer, ulong sequence, Instant now)
    {
        while (_groups.Count > 0)
        {
            GroupSender group = _groups.Dequeue();
            int before = writer.Written;
            bool hasMore = group.Unfinished.IsAllDelivered ? WriteTurn(slot, ref writer, group, sequence, now) : BindOne(group, now);
            if (hasMore) _groups.Enqueue(group);
            else group.OnDirectEnded();
            if (writer.Written > before || !messages.Backlog.IsEmpty) return true;
        }
        return false;
    }

    private bool BindOne(GroupSender group, Instant now)
    {
        if (!group.TryPull()) return false;
        group.BindPulled(now);
        return true;
    }

    // Returns false when the group has nothing more.
    private bool WriteTurn(in Slice slot, ref WireWriter writer, GroupSender group, ulong sequence, Instant now)
    {
        int turnEnd = writer.Written + TurnBytes;
        PendingAccount account = messages.Gate.Account;
        long messagesLeft = account.MessagesLeft, bytesLeft = account.BytesLeft;
        MessageRun run = default;
        bool isElsewhere;
        while (TryWrite(slot, ref writer, group, run, out MessageRun next, out isElsewhere))
        {
            if (run.Count == 0)
            {
                run = next;
            }
            else if (!run.TryAppend(next))
            {
                Commit(group, run, sequence, now);
                (messagesLeft, bytesLeft) = (account.MessagesLeft, account.BytesLeft);
                run = next;
            }
            if ((writer.Written < turnEnd || _groups.Count == 0) && run.Count < messagesLeft && run.TotalLength < bytesLeft) continue;
            Commit(group, run, sequence, now);
            return true;
        }
        Commit(group, run, sequence, now);
        if (isElsewhere) group.BindPulled(now);
        return isElsewhere;
    }

    // Writes one message into the packet; false when there is none, or when it did not fit and waits elsewhere.
    private bool TryWrite(
        in Slice slot, ref WireWriter writer, GroupSender group, in MessageRun before, out MessageRun message, out bool isElsewhere)
    {
        message = default;
        isElsewhere = false;
        ulong number = group.Numbers.After(before.Count > 0 ? before.End - 1 : group.Numbers.Last);
        int head = HeadLength(group, number);
        int start = DatagramHeader.Length + writer.Written + head + _usualField;
        // However long its length field will be, what fits here fits into the packet.
        int room = writer.Remaining - head - Math.Max(_usualField, WireWriter.VarintLength((ulong)writer.Remaining));
        context.SourceWriter.Begin(room > 0 ? slot.Part(start, room) : default);
        if (!group.TryPull())
        {
            context.SourceWriter.Discard();
            return false;
        }
        isElsewhere = !context.SourceWriter.TryFinishInPlace(out int length);
        if (isElsewhere) return false;
        message = new MessageRun(number, WriteHead(slot, ref writer, group, number, start, length));
        return true;
    }

    private int HeadLength(GroupSender group, ulong number)
    {
        bool isFirst = messages.IsFirst(group.DirectIndex);
        return PacketRecord.HeadLength(_epoch, group.DirectIndex, number, isFirst, isFirst ? group.Numbers.LastStep : default, 0, 0, fragment: false);
    }

    // Returns the bytes of the message, which may have moved.
    private Slice WriteHead(in Slice slot, ref WireWriter writer, GroupSender group, ulong number, int start, int length)
    {
        int field = WireWriter.VarintLength((ulong)length);
        if (field != _usualField)
        {
            // Before the head is written, which may end where the message began.
            slot.Span.Slice(start, length).CopyTo(slot.Span[(start - _usualField + field)..]);
            _usualField = field;
        }
        bool isFirst = messages.Introduce(group.DirectIndex);
        PacketRecord.WriteHead(
            ref writer, _epoch, group.DirectIndex, number, isFirst, isFirst ? group.Numbers.LastStep : default, length, 0, length);
        Slice bytes = slot.Part(DatagramHeader.Length + writer.Written, length);
        writer.Reserve(length);
        System.Diagnostics.Debug.Assert(!writer.Overflowed, "the room was measured");
        return bytes;
    }

    private void Commit(GroupSender group, in MessageRun run, ulong sequence, Instant now)
    {
        if (run.Count == 0) return;
        context.Settings.Probes.Hit(Mark.MessageWrittenInPlace);
        messages.OnWritten(group, run, sequence, now);
    }
}
