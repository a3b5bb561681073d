using System.Buffers.Binary;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Packing;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Hybrids;

/// <summary>
/// Fills one hybrid packet after another from a group's queue, by the rules of <see cref="PacketPacker"/>: batches of
/// equal messages, fragments and filler up to the last byte. No region's own packet becomes longer than the hybrid one
/// could be. O(1) a record, O(regions) a packet; with payload checksums a copy for each region. Allocates only to grow.
/// Core thread only.
/// </summary>
internal sealed class HybridPacker(OwnMessages own, HybridQueue queue)
{
    // A region's packet lacks the list, at least two headers of eleven bytes beside its own step and previous step. It
    // may need that room for longer indices of the group.
    private const int Spared = sizeof(ushort) + (2 * 11);

    private readonly SendContext _context = own.Context;
    private readonly List<Finished> _finished = [];
    private byte[] _derived = [];

    private bool HasChecksum => _context.Transport.Facts.ChecksumPayloads && !_context.Settings.IsSealed;

    /// <summary>Messages whose last byte is in the packet packed last.</summary>
    public int FinishedCount => _finished.Count;

    /// <summary>Length of a packet with all that waits.</summary>
    public long Wanted(int regions) =>
        HybridPacket.RegionsOffset + (regions * HybridRegion.MaxLength) + PacketRecord.MaxOverhead + queue.Bytes;

    /// <summary>Packs one packet, with the next sequence of each region's stream.</summary>
    /// <param name="place">Room for the datagram.</param>
    /// <param name="parts">The regions.</param>
    /// <returns>The datagram's length; less than the room only when there are no more messages.</returns>
    public int Pack(in Slice place, Span<HybridPart> parts)
    {
        _finished.Clear();
        Span<byte> datagram = place.Span;
        var writer = new WireWriter(datagram[HybridPacket.RegionsOffset..]);
        bool isFirst = WriteRegions(ref writer, parts, out int indexBytes);
        BinaryPrimitives.WriteUInt16LittleEndian(datagram[HybridPacket.ListOffset..], (ushort)writer.Written);
        int recordsAt = HybridPacket.RegionsOffset + writer.Written;
        writer = new WireWriter(datagram[recordsAt..]);
        int records = 0;
        bool isFull = false;
        while (!isFull && !queue.IsEmpty)
        {
            int reserved = Math.Max(0, (++records * (indexBytes - 1)) - Spared);
            isFull = !TryPackFirst(ref writer, recordsAt, writer.Remaining - reserved, isFirst && records == 1);
        }
        if (isFull && writer.Remaining <= PacketRecord.MaxFiller) PacketRecord.WriteFiller(ref writer);
        datagram = datagram[..(recordsAt + writer.Written)];
        var header = new DatagramHeader
        {
            Version = parts[0].Stream.View.Version,
            Kind = DatagramKind.Hybrid,
            Flags = HasChecksum ? DatagramFlags.PayloadChecksum : DatagramFlags.None,
            Cluster = _context.ClusterInstance,
            Sender = _context.SelfKey,
        };
        if (header.Flags != DatagramFlags.None) WriteChecksums(header, datagram, recordsAt, parts);
        header.WriteTo(datagram);
        foreach (ref HybridPart part in parts) part.Messages.Introduce(part.GroupIndex);
        return datagram.Length;
    }

    /// <summary>
    /// Hands the messages that the packet finished to the accounts of all streams; own delivery takes place.
    /// </summary>
    /// <param name="datagram">The packet.</param>
    /// <param name="parts">The regions, whose highest packet is this one.</param>
    /// <param name="now">The present instant.</param>
    public void Settle(in Slice datagram, ReadOnlySpan<HybridPart> parts, Instant now)
    {
        foreach (Finished finished in _finished)
        {
            Slice bytes = finished.At < 0 ? default : datagram.Part(finished.At, finished.Message.Length);
            foreach (ref readonly HybridPart part in parts)
                part.Messages.OnPacked(finished.Message, bytes, part.Stream.Highest, now);
        }
        _finished.Clear();
        own.Batch.Flush(now);
    }

    // True when the first message is its group's first in some region's stream.
    private bool WriteRegions(ref WireWriter writer, Span<HybridPart> parts, out int indexBytes)
    {
        OutgoingMessage message = queue.First;
        bool any = false;
        indexBytes = 1;
        foreach (ref HybridPart part in parts)
        {
            RegionView view = part.Stream.View;
            if (queue.PackedOfFirst == 0) part.IsFirst = part.Messages.IsFirst(part.GroupIndex);
            any |= part.IsFirst;
            indexBytes = Math.Max(indexBytes, WireWriter.VarintLength((ulong)part.GroupIndex));
            StepNumber previous = part.IsFirst ? message.PreviousStep : default;
            var region = new HybridRegion
            {
                ViewTag = view.Number.Tag,
                ViewCounter = view.Number.Counter,
                Urgency = part.Stream.Builder.PacketUrgency,
                Sequence = part.Stream.Highest + 1,
                Step = message.Step.Counter - view.FirstStep.Counter,
                GroupIndex = part.GroupIndex,
                IsFirst = part.IsFirst,
                PreviousCounter = previous.Counter,
                PreviousEpoch = previous.IsNone || previous.Epoch == view.Number.Epoch ? null : previous.Epoch,
            };
            part.ChecksumAt = region.WriteTo(ref writer, HasChecksum);
        }
        System.Diagnostics.Debug.Assert(!writer.Overflowed, "a packet has room for its list");
        return any;
    }

    // Packs the rest of the first message, or as much of it as fits: then the packet is full, and the result false.
    private bool TryPackFirst(ref WireWriter writer, int recordsAt, int room, bool isFirst)
    {
        OutgoingMessage message = queue.First;
        int offset = queue.PackedOfFirst;
        int rest = message.Length - offset;
        int head = HeadLength(message, offset, fragment: offset > 0);
        if (head + WireWriter.VarintLength((ulong)rest) + rest <= room)
        {
            int count = offset == 0 && !isFirst ? CountAlike(message, room - head) : 1;
            WriteHead(ref writer, message, offset, rest, count);
            for (int index = 0; index < count; index++)
            {
                OutgoingMessage next = queue.First;
                _finished.Add(new Finished(next, offset == 0 ? recordsAt + writer.Written : -1));
                writer.WriteBytes(next.Span[offset..]);
                queue.RemoveFirst();
            }
            System.Diagnostics.Debug.Assert(!writer.Overflowed, "the record was measured");
            return true;
        }
        if (room <= PacketRecord.MaxFiller) return false;
        if (offset == 0) head = HeadLength(message, offset, fragment: true);
        int part = PacketPacker.FragmentLength(room - head);
        WriteHead(ref writer, message, offset, part, 1);
        writer.WriteBytes(message.Span.Slice(offset, part));
        System.Diagnostics.Debug.Assert(!writer.Overflowed, "the record was measured");
        queue.Advance(part);
        return false;
    }

    // How many of the first messages have one length and fit into the room as a batch. Their numbers follow each other.
    private int CountAlike(OutgoingMessage first, int room)
    {
        int length = first.Length;
        if (length == 0 || first.IsPiece) return 1;
        int limit = (room - WireWriter.VarintLength((ulong)length) - PacketRecord.CountBytes) / length;
        limit = Math.Min(limit, Math.Min(queue.Count, PacketRecord.MaxCount));
        int count = 1;
        while (count < limit
            && queue[count] is { IsPiece: false } next
            && next.Length == length
            && next.Number == first.Number + (ulong)count)
        {
            count++;
        }
        return count;
    }

    private static void WriteHead(ref WireWriter writer, OutgoingMessage message, int offset, int length, int count) =>
        PacketRecord.WriteHead(
            ref writer,
            default,
            0,
            message.Number,
            false,
            default,
            message.Length,
            offset,
            length,
            count,
            message.IsPiece);

    private static int HeadLength(OutgoingMessage message, int offset, bool fragment) =>
        PacketRecord.HeadLength(default, 0, message.Number, false, default, message.Length, offset, fragment);

    private void WriteChecksums(
        in DatagramHeader header, Span<byte> datagram, int recordsAt, ReadOnlySpan<HybridPart> parts)
    {
        if (_derived.Length == 0) _derived = new byte[DatagramHeader.MaxDatagram];
        ReadOnlySpan<byte> list = datagram[HybridPacket.RegionsOffset..recordsAt];
        var reader = new WireReader(list);
        foreach (ref readonly HybridPart part in parts)
        {
            HybridRegion region = HybridRegion.Read(ref reader, hasChecksum: true);
            int length = HybridPacket.Derive(
                header, region, part.Stream.View.Number.Epoch, datagram[recordsAt..], _derived);
            System.Diagnostics.Debug.Assert(length > 0, "what is packed can be derived");
            uint checksum = Crc32C.Of(_derived.AsSpan(DatagramHeader.Length, length - DatagramHeader.Length));
            BinaryPrimitives.WriteUInt32LittleEndian(
                datagram[(HybridPacket.RegionsOffset + part.ChecksumAt)..], checksum);
        }
    }

    private readonly record struct Finished(OutgoingMessage Message, int At);
}
