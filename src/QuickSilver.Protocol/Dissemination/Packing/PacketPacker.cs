using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Packing;

/// <summary>
/// Fills one packet after another from a stream's region buffer.
/// <para>
/// Idea: a packet takes the messages at the head of the buffer, of any groups of the region: one record for each, or
/// one for a batch of equal ones. When the next message does not fit whole, a fragment of it fills the packet to the
/// last byte, and the next packet begins with the rest. So while there is backlog all packets have the full length and
/// form a train. Less than 64 bytes at the end are filled with zeros rather than with a fragment, because joining
/// fragments costs every receiver a copy. So is a single byte that no varint length can fill exactly.
/// </para>
/// <para>
/// When the buffer is empty, sources of direct groups write into the packet (<see cref="SourcePacker"/>). Messages that
/// do not fit go through the buffer.
/// </para>
/// <para>
/// Awkward case: all messages of a packet share the step. So a packet, and with it the train, ends early where the step
/// changes: once per change and stream. Cost: O(1) per record in addition to the copy. Allocates nothing.
/// </para>
/// </summary>
/// <param name="own">What the messages of the node share.</param>
/// <param name="view">The view that the stream goes to.</param>
/// <param name="messages">The stream's messages, informed of each whose last byte is packed.</param>
internal sealed class PacketPacker(OwnMessages own, RegionView view, StreamMessages messages)
{
    private readonly Epoch _epoch = view.Number.Epoch;
    private readonly RegionBuffer _backlog = messages.Backlog;
    private readonly Probes _probes = own.Context.Settings.Probes;
    private readonly SourcePacker _sources = new(own, view, messages);

    /// <summary>Fills one packet's body.</summary>
    /// <param name="slot">Room for the datagram; its length is the limit. The header's bytes are left alone.</param>
    /// <param name="sequence">The packet.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>The datagram's length, shorter than the slot only when no more messages came or the step ended; 0 when
    /// there was nothing to pack.</returns>
    public int Pack(Slice slot, ulong sequence, Instant now)
    {
        var writer = new WireWriter(slot.Span[DatagramHeader.Length..]);
        StepNumber step = _backlog.IsEmpty ? own.Context.ActiveStep : _backlog.First.Message.Step;
        System.Diagnostics.Debug.Assert(step >= view.FirstStep, "a step before its view");
        System.Diagnostics.Debug.Assert(step.Epoch == view.FirstStep.Epoch, "a view does not outlive its epoch");
        writer.WriteVarint(step.Counter - view.FirstStep.Counter);
        int empty = writer.Written;
        bool isFull = false;
        while (!isFull)
        {
            if (_backlog.IsEmpty
                && (step != own.Context.ActiveStep || !_sources.TryPack(slot, ref writer, sequence, now)))
            {
                break;
            }
            if (!_backlog.IsEmpty)
            {
                if (_backlog.First.Message.Step != step) break;
                isFull = !TryPackFirst(slot, ref writer, sequence, now);
            }
            if (_probes.Here(BuggifySite.PacketClosedEarly)) break;
        }
        if (writer.Written == empty) return 0;
        if (isFull) PacketRecord.WriteFiller(ref writer);
        messages.OnPacketClosed(now);
        return DatagramHeader.Length + writer.Written;
    }

    // Packs the rest of the first message, or as much of it as fits: then the packet is full, and the result false.
    private bool TryPackFirst(Slice slot, ref WireWriter writer, ulong sequence, Instant now)
    {
        BacklogEntry entry = _backlog.First;
        OutgoingMessage message = entry.Message;
        int offset = entry.Start + _backlog.PackedOfFirst;
        int rest = message.Length - offset;
        int headLength = HeadLength(entry, offset, fragment: offset > 0);
        if (headLength + WireWriter.VarintLength((ulong)rest) + rest <= writer.Remaining)
        {
            if (offset == 0 && CountAlike(entry, writer.Remaining - headLength) is > 1 and int count)
            {
                PackBatch(slot, ref writer, entry, count, sequence, now);
                return true;
            }
            WriteRecord(ref writer, entry, offset, rest);
            Slice whole = offset == 0 ? slot.Part(DatagramHeader.Length + writer.Written - rest, rest) : default;
            _backlog.RemoveFirst();
            messages.OnPacked(message, whole, sequence, now);
            return true;
        }
        if (writer.Remaining <= PacketRecord.MaxFiller) return false;
        if (offset == 0) headLength = HeadLength(entry, offset, fragment: true);
        int part = FragmentLength(writer.Remaining - headLength);
        System.Diagnostics.Debug.Assert(part > 0 && part < rest, "a fragment is a proper part");
        WriteRecord(ref writer, entry, offset, part);
        _backlog.Advance(part);
        return false;
    }

    // How many of the first messages are of one group and length, with consecutive numbers, and fit into the room as a
    // batch.
    private int CountAlike(in BacklogEntry entry, int room)
    {
        OutgoingMessage first = entry.Message;
        int length = first.Length;
        if (entry.IsFirst || length == 0 || first.IsPiece) return 1;
        int limit = (room - WireWriter.VarintLength((ulong)length) - PacketRecord.CountBytes) / length;
        limit = Math.Min(limit, Math.Min(_backlog.Count, PacketRecord.MaxCount));
        int count = 1;
        while (count < limit
            && _backlog[count] is { IsFirst: false, Start: 0, Message.IsPiece: false } next
            && next.GroupIndex == entry.GroupIndex
            && next.Message.Length == length
            && next.Message.Number == first.Number + (ulong)count
            && next.Message.Step == first.Step)
        {
            count++;
        }
        return count;
    }

    private void PackBatch(
        in Slice slot, ref WireWriter writer, in BacklogEntry entry, int count, ulong sequence, Instant now)
    {
        int length = entry.Message.Length;
        PacketRecord.WriteHead(
            ref writer, _epoch, entry.GroupIndex, entry.Message.Number, false, default, length, 0, length, count);
        int start = DatagramHeader.Length + writer.Written;
        for (int index = 0; index < count; index++) writer.WriteBytes(_backlog[index].Message.Span);
        System.Diagnostics.Debug.Assert(!writer.Overflowed, "the batch was measured");
        _probes.Reached("waiting messages of one group and length become a batch");
        // Delivering an earlier own message may run user code that drops the rest of the backlog.
        for (int index = 0; index < count && !_backlog.IsEmpty; index++)
        {
            OutgoingMessage message = _backlog.First.Message;
            _backlog.RemoveFirst();
            messages.OnPacked(message, slot.Part(start + (index * length), length), sequence, now);
        }
    }

    private void WriteRecord(ref WireWriter writer, in BacklogEntry entry, int offset, int length)
    {
        OutgoingMessage message = entry.Message;
        PacketRecord.WriteHead(
            ref writer,
            _epoch,
            entry.GroupIndex,
            message.Number,
            entry.IsFirst,
            message.PreviousStep,
            message.Length,
            offset,
            length,
            isPiece: message.IsPiece);
        writer.WriteBytes(message.Span.Slice(offset, length));
        System.Diagnostics.Debug.Assert(!writer.Overflowed, "the record was measured");
    }

    private int HeadLength(in BacklogEntry entry, int offset, bool fragment) => PacketRecord.HeadLength(
        _epoch,
        entry.GroupIndex,
        entry.Message.Number,
        entry.IsFirst,
        entry.Message.PreviousStep,
        entry.Message.Length,
        offset,
        fragment);

    // The most bytes that fit in the room together with their length field.
    internal static int FragmentLength(int room)
    {
        int field = WireWriter.VarintLength((ulong)room);
        int length = room - field;
        return field > 1 && WireWriter.VarintLength((ulong)(length + 1)) < field ? length + 1 : length;
    }
}
