using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Packing;

/// <summary>
/// Lets the sources of one stream's direct groups write their messages where they will be sent from.
/// <para>
/// Idea: a message that nobody waits for, that goes to one view and follows nothing that is still to be packed needs no record and no queue. Its
/// source is asked when a packet has room, writes behind the place of the head, and what is left is to number it. Where messages have had one length
/// for a while, those that follow are expected to have it too: the source writes them one behind the other, and they become one run, with one head,
/// which is counted, and delivered here, as one.
/// </para>
/// <para>
/// Awkward cases. The head is written last, because it names length and count. Room is left for it as if the length field were as long as that of the
/// message before, and as if a run came where one is expected; where either turns out wrong, the message is moved by a byte or two. A message that
/// does not fit, or that ends a run by its length, is written elsewhere and bound like any other; a part of it then fills the packet. While messages
/// of the group wait for their delivery here, in streams of older steps, the next one is bound as well, because it has to wait behind them. A source
/// may end its group, or leave it, while it writes: what it wrote before is sent.
/// </para>
/// Cost: O(1) per message; one call of the source, no copy. Allocates nothing in steady state. Core thread only.
/// </summary>
internal sealed class SourcePacker(SendContext context, RegionView view, StreamMessages messages)
{
    // After so much it is another group's turn.
    private const int TurnBytes = 8 << 10;

    // So many messages of one length in a row, and the next are expected to have it.
    private const int UntilExpected = 4;

    private readonly Epoch _epoch = view.Number.Epoch;
    private readonly RingQueue<GroupSender> _groups = messages.Backlog.Direct;
    private int _usualField = 1;
    private int _lastLength;
    private int _alike;

    private enum Outcome
    {
        Written,
        Elsewhere,
        Nothing,
    }

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
        int end = writer.Written + TurnBytes;
        PendingAccount account = messages.Gate.Account;
        while (true)
        {
            // A turn is over with the message that passes its end; alone, a group has no turns.
            Outcome outcome = WriteRecord(slot, ref writer, group, _groups.Count > 0 ? end - writer.Written : int.MaxValue, sequence, now);
            if (outcome != Outcome.Written) return outcome == Outcome.Elsewhere;
            if ((writer.Written >= end && _groups.Count > 0) || account.MessagesLeft <= 0 || account.BytesLeft <= 0) return true;
        }
    }

    // Writes one message, or a run of them, into the packet.
    private Outcome WriteRecord(in Slice slot, ref WireWriter writer, GroupSender group, int turnLeft, ulong sequence, Instant now)
    {
        ulong number = group.Numbers.Last + 1;
        bool isFirst = messages.IsFirst(group.DirectIndex);
        StepNumber previous = isFirst ? group.Numbers.LastStep : default;
        bool mayRun = !isFirst && (_alike == UntilExpected || context.Settings.Probes.Here(BuggifySite.RunExpected));
        int head = PacketRecord.HeadLength(_epoch, group.DirectIndex, number, isFirst, previous, 0, 0, fragment: false)
            + (mayRun ? PacketRecord.CountBytes : 0);
        int start = DatagramHeader.Length + writer.Written + head + _usualField;
        // However long its length field will be, what fits here fits into the packet.
        int room = writer.Remaining - head - Math.Max(_usualField, WireWriter.VarintLength((ulong)writer.Remaining));
        MessageWriter source = context.SourceWriter;
        source.Begin(room > 0 ? slot.Part(start, room) : default);
        if (!group.TryPull())
        {
            source.Discard();
            return Outcome.Nothing;
        }
        if (!source.TryFinishInPlace(out int length))
        {
            group.BindPulled(now);
            return Outcome.Elsewhere;
        }
        int field = WireWriter.VarintLength((ulong)length);
        if (field != _usualField)
        {
            Move(slot, ref start, length, field - _usualField);
            _usualField = field;
        }
        int count = 1;
        if (mayRun && length > 0) count += WriteFollowers(slot, start, length, group, turnLeft);
        // Before the head is written, which ends where the message begins.
        if (mayRun && count == 1) Move(slot, ref start, length, -PacketRecord.CountBytes);
        _alike = source.HasMessage ? 0 : count > 1 || length == _lastLength ? Math.Min(_alike + 1, UntilExpected) : 0;
        _lastLength = length;
        messages.Introduce(group.DirectIndex);
        PacketRecord.WriteHead(ref writer, _epoch, group.DirectIndex, number, isFirst, previous, length, 0, length, count);
        writer.Reserve(count * length);
        System.Diagnostics.Debug.Assert(!writer.Overflowed, "the room was measured");
        context.Settings.Probes.Hit(count == 1 ? Mark.MessageWrittenInPlace : Mark.RunWrittenInPlace);
        messages.OnWritten(group, new DeliveryBatch(number, slot.Part(start, length), count, length), sequence, now);
        if (!source.HasMessage) return Outcome.Written;
        context.Settings.Probes.Hit(Mark.RunEndedByLength);
        group.BindPulled(now);
        return Outcome.Elsewhere;
    }

    // Messages behind the first of a run, as long as they have its length. One that has not is left with the writer.
    private int WriteFollowers(in Slice slot, int start, int length, GroupSender group, int turnLeft)
    {
        // Each with the first is counted as pending only when all are written; the last may pass the limit, or the turn.
        PendingAccount account = messages.Gate.Account;
        long bytes = Math.Min(account.BytesLeft, Math.Min(turnLeft, slot.Length - start));
        long most = Math.Min(Math.Min(account.MessagesLeft, PacketRecord.MaxCount), (bytes + length - 1) / length) - 1;
        int count = 0;
        MessageWriter source = context.SourceWriter;
        while (count < most)
        {
            int at = start + ((count + 1) * length);
            if (slot.Length - at < length) break;
            source.BeginFollowers(slot.Part(at, slot.Length - at), length, (int)(most - count));
            bool any = group.TryPull();
            count += source.TakeFollowers();
            if (source.HasMessage) break;
            source.Discard();
            if (!any) break;
        }
        return count;
    }

    private static void Move(in Slice slot, ref int start, int length, int distance)
    {
        slot.Span.Slice(start, length).CopyTo(slot.Span[(start + distance)..]);
        start += distance;
    }
}
