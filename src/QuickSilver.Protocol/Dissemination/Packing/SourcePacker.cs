using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Limits;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Packing;

/// <summary>
/// Lets the sources of one stream's direct lanes write their messages into the packets that carry them.
/// <para>
/// Idea: a message needs no record and no queue when nobody follows it, it goes to one view, and nothing before it is
/// still to be packed. Its source is asked when a packet has room, and writes behind the place of the head; then the
/// message only needs its number. Where messages have had one length for a while, the following ones are expected to
/// have it too; a lane of many groups knows (<see cref="SendLane.HasAlike"/>). The source writes them one behind the
/// other, and they become one batch with one head, counted and delivered here as one.
/// </para>
/// <para>
/// Awkward cases: the head is written last, because it names length and count. Its room assumes a length field as long
/// as that of the message before, and a batch where one is expected. Where either turns out wrong, the message is moved
/// by a byte or two. A message that does not fit, or that ends a batch by its length, is written elsewhere and bound
/// normally; a part of it then fills the packet. While messages of the group wait for their delivery here, in streams
/// of older steps, the next one is bound as well: it has to wait behind them. A source may end its group, or leave it,
/// while it writes: messages written before are sent.
/// </para>
/// <para>
/// Cost: O(1) per message; one call of the source, no copy. Allocates nothing in steady state. Core thread only.
/// </para>
/// </summary>
internal sealed class SourcePacker(OwnMessages own, RegionView view, StreamMessages messages)
{
    // The bytes after which another lane has its turn.
    private const int TurnBytes = 8 << 10;

    // The number of messages of one length in a row after which the next are expected to have it.
    private const int UntilExpected = 4;

    private readonly SendContext _context = own.Context;
    private readonly Epoch _epoch = view.Number.Epoch;
    private readonly RingQueue<SendLane> _lanes = messages.Backlog.Direct;
    private GroupSender? _lastGroup;
    private int _usualField = 1;
    private int _lastLength;
    private int _alike;

    private enum Outcome
    {
        Written,
        Elsewhere,
        Nothing,
    }

    /// <summary>Asks the lanes in turn, until one has something, for as much as it has and its turn allows.</summary>
    /// <returns>False when no lane has anything. Otherwise messages are in the packet, or the last of them, which did
    /// not fit, is in the buffer.</returns>
    public bool TryPack(in Slice slot, ref WireWriter writer, ulong sequence, Instant now)
    {
        while (_lanes.Count > 0)
        {
            SendLane lane = _lanes.Dequeue();
            int before = writer.Written;
            if (WriteTurn(slot, ref writer, lane, sequence, now)) _lanes.Enqueue(lane);
            else lane.OnDirectEnded();
            if (writer.Written > before || !messages.Backlog.IsEmpty) return true;
        }
        return false;
    }

    // Returns false when the lane has no more messages.
    private bool WriteTurn(in Slice slot, ref WireWriter writer, SendLane lane, ulong sequence, Instant now)
    {
        int end = writer.Written + TurnBytes;
        PendingAccount account = messages.Gate.Account;
        while (lane.Next(now) is { } group)
        {
            if (!group.IsAllDelivered) return BindOne(lane, group, now);
            // A turn is over with the message that passes its end; a single lane has no turns.
            int turnRemaining = _lanes.Count > 0 ? end - writer.Written : int.MaxValue;
            Outcome outcome = WriteRecord(slot, ref writer, lane, group, turnRemaining, sequence, now);
            if (outcome != Outcome.Written) return outcome == Outcome.Elsewhere;
            bool turnIsOver = writer.Written >= end && _lanes.Count > 0;
            if (turnIsOver || account.MessagesLeft <= 0 || account.BytesLeft <= 0) return true;
        }
        return false;
    }

    private static bool BindOne(SendLane lane, GroupSender group, Instant now)
    {
        if (!lane.TryPull(group)) return false;
        group.BindPulled(now);
        return true;
    }

    // Writes one message, or a batch of them, into the packet.
    private Outcome WriteRecord(
        in Slice slot, ref WireWriter writer, SendLane lane, GroupSender group, int turnRemaining, ulong sequence,
        Instant now)
    {
        ulong number = group.LastNumber + 1;
        bool isFirst = messages.IsFirst(group.DirectIndex);
        StepNumber previous = isFirst ? group.LastStep : default;
        bool? isAlike = isFirst ? null : lane.HasAlike;
        bool mayBatch = !isFirst
            && ((isAlike ?? (_alike == UntilExpected && _lastGroup == group))
                || _context.Settings.Probes.Here(BuggifySite.RunExpected));
        _lastGroup = group;
        int headLength =
            PacketRecord.HeadLength(_epoch, group.DirectIndex, number, isFirst, previous, 0, 0, fragment: false)
            + (mayBatch ? PacketRecord.CountBytes : 0);
        int start = DatagramHeader.Length + writer.Written + headLength + _usualField;
        // The length field, however long, fits into the packet together with a message that fits here.
        int field = Math.Max(_usualField, WireWriter.VarintLength((ulong)writer.Remaining));
        int room = writer.Remaining - headLength - field;
        MessageWriter source = own.Writer;
        source.Begin(room > 0 ? slot.Part(start, room) : default);
        if (!lane.TryPull(group))
        {
            source.Discard();
            return Outcome.Nothing;
        }
        if (!source.TryFinishInPlace(out int length))
        {
            group.BindPulled(now);
            return Outcome.Elsewhere;
        }
        field = WireWriter.VarintLength((ulong)length);
        if (field != _usualField)
        {
            Move(slot, ref start, length, field - _usualField);
            _usualField = field;
        }
        int count = 1;
        if (mayBatch && length > 0) count += WriteFollowers(slot, start, length, lane, group, turnRemaining);
        // Before the head is written, which ends where the message begins.
        if (mayBatch && count == 1) Move(slot, ref start, length, -PacketRecord.CountBytes);
        _alike = source.HasMessage ? 0 : count > 1 || length == _lastLength ? Math.Min(_alike + 1, UntilExpected) : 0;
        _lastLength = length;
        messages.Introduce(group.DirectIndex);
        PacketRecord.WriteHead(
            ref writer, _epoch, group.DirectIndex, number, isFirst, previous, length, 0, length, count);
        writer.Reserve(count * length);
        System.Diagnostics.Debug.Assert(!writer.Overflowed, "the room was measured");
        _context.Settings.Probes.Reached(
            count == 1 ? "a source writes a message into a packet" : "sources write a batch of messages into a packet");
        if (isAlike == true && count > 1)
            _context.Settings.Probes.Reached("messages that wait in a lane and are alike become a batch");
        messages.OnWritten(group, new DeliveryBatch(number, slot.Part(start, length), count, length), sequence, now);
        if (!source.HasMessage) return Outcome.Written;
        _context.Settings.Probes.Reached("a batch ends by a message of another length");
        group.BindPulled(now);
        return Outcome.Elsewhere;
    }

    // Writes messages behind the first of a batch, as long as they have its length. One of another length is left with
    // the writer.
    private int WriteFollowers(
        in Slice slot, int start, int length, SendLane lane, GroupSender group, int turnRemaining)
    {
        // All count as pending only when the last is written; the last may pass the limit, or the turn.
        PendingAccount account = messages.Gate.Account;
        long bytes = Math.Min(account.BytesLeft, Math.Min(turnRemaining, slot.Length - start));
        long countLimit = Math.Min(account.MessagesLeft, PacketRecord.MaxCount);
        long limit = Math.Min(countLimit, (bytes + length - 1) / length) - 1;
        int count = 0;
        MessageWriter source = own.Writer;
        while (count < limit)
        {
            int offset = start + ((count + 1) * length);
            if (slot.Length - offset < length) break;
            source.BeginFollowers(slot.Part(offset, slot.Length - offset), length, (int)(limit - count));
            bool any = lane.TryPull(group);
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
