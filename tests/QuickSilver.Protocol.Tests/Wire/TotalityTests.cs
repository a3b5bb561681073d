using System.Buffers.Binary;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>Every decoder is total: whatever comes, it answers, allocates nothing and throws nothing.</summary>
public class TotalityTests
{
    private static readonly LagList Behind = new();

    private static readonly byte[][] Datagrams = [.. GoldenFile.Names.Select(GoldenFile.Read)];

    private ulong _sum;

    [Fact]
    public void AnyBytesAreAHeaderOrRefused() => Totality.Check(
        input =>
        {
            RejectReason reason = DatagramHeader.TryRead(input, out DatagramHeader header);
            if (reason != RejectReason.None) return false;
            Require(header.TotalLength >= DatagramHeader.Length && header.TotalLength <= input.Length);
            header.PayloadIsIntact(input[..header.TotalLength]);
            return true;
        },
        Datagrams);

    [Fact]
    public void AnyBytesAreAPacketOrRefused() =>
        Totality.Check(ReadPacket, Body("data"), Body("fragments"), Body("runs"), Body("pieces"));

    [Fact]
    public void AnyBytesAreAPartOfALongMessageOrRefused() => Totality.Check(ReadPiece, Parts());

    [Fact]
    public void AnyBytesAreAHybridPacketOrRefused()
    {
        DatagramHeader header = WireSamples.Header(DatagramKind.Hybrid) with { ViewTag = 0, ViewCounter = 0 };
        var place = new byte[DatagramHeader.MaxDatagram];
        var datagram = new byte[DatagramHeader.MaxDatagram];
        Totality.Check(
            input =>
            {
                if (input.Length > datagram.Length - DatagramHeader.Length) return false;
                if (!MakeHybrid(input, datagram)) return false;
                Span<byte> whole = datagram.AsSpan(0, DatagramHeader.Length + input.Length);
                RejectReason reason = HybridPacket.TryRead(
                    header, whole, out ReadOnlySpan<byte> regions, out ReadOnlySpan<byte> records);
                if (reason != RejectReason.None) return false;
                var reader = new WireReader(regions);
                bool any = false;
                while (reader.Remaining > 0)
                {
                    HybridRegion region = HybridRegion.Read(ref reader, hasChecksum: false);
                    Require(!reader.Failed && region.Sequence > 0);
                    int length = HybridPacket.Derive(header, region, WireSamples.ServerEpoch, records, place);
                    any |= length > 0;
                    if (length == 0) continue;
                    bool isLong = WireWriter.VarintLength((ulong)region.GroupIndex) > 1;
                    Require(length <= HybridPacket.LongestDerived(records.Length, isLong));
                    ReadPacket(place.AsSpan(DatagramHeader.Length, length - DatagramHeader.Length));
                }
                return any;
            },
            WithoutChecksums());
    }

    // A datagram with the right checksum of its list, whatever the list says.
    private static bool MakeHybrid(Span<byte> body, byte[] datagram)
    {
        body.CopyTo(datagram.AsSpan(DatagramHeader.Length));
        if (body.Length < sizeof(ushort)) return false;
        if (BinaryPrimitives.ReadUInt16LittleEndian(body) > body.Length - sizeof(ushort)) return false;
        BinaryPrimitives.WriteUInt32LittleEndian(
            datagram.AsSpan(44), HybridPacket.ListChecksum(datagram.AsSpan(0, DatagramHeader.Length + body.Length)));
        return true;
    }

    private static byte[] WithoutChecksums()
    {
        byte[] golden = GoldenFile.Read("hybrid");
        var bytes = new byte[golden.Length];
        var writer = new WireWriter(bytes.AsSpan(sizeof(ushort)));
        foreach (HybridRegion region in WireSamples.HybridRegions) region.WriteTo(ref writer, hasChecksum: false);
        BinaryPrimitives.WriteUInt16LittleEndian(bytes, (ushort)writer.Written);
        int list = BinaryPrimitives.ReadUInt16LittleEndian(golden.AsSpan(HybridPacket.ListOffset));
        writer.WriteBytes(golden.AsSpan(HybridPacket.RegionsOffset + list));
        return bytes[..(sizeof(ushort) + writer.Written)];
    }

    [Fact]
    public void AnyBytesAreAnAckOrRefused() => Totality.Check(
        input => AckBody.TryRead(input, WireSamples.Members, Behind, out _),
        Body("ack"), Body("ack-unknown-read-position"));

    [Fact]
    public void AnyBytesAreAWordOnCarriersOrRefused() =>
        Totality.Check(
            input => CarrierWordBody.TryRead(input, out _), Body("carrier-word"), Body("carrier-word-unheard"));

    [Fact]
    public void AnyBytesAreANakOrRefused() =>
        Totality.Check(input => NakBody.TryRead(input, out NakBody nak) && Walk(nak.Ranges), Body("nak"));

    [Fact]
    public void AnyBytesAreAPullOrRefused() =>
        Totality.Check(input => PullBody.TryRead(input, out PullBody pull) && Walk(pull.Ranges), Body("pull"));

    [Fact]
    public void AnyBytesAreAPathQueryOrRefused() => Totality.Check(
        input =>
        {
            if (!PathQueryBody.TryRead(input, out PathQueryBody query)) return false;
            Require(query.Longest is >= 0 and <= DatagramHeader.MaxDatagram);
            return true;
        },
        Body("path-query"));

    [Fact]
    public void AnyBytesAreAPathAnswerOrRefused() => Totality.Check(
        input =>
        {
            if (!PathAnswerBody.TryRead(input, out PathAnswerBody answer)) return false;
            Span<int> lengths = stackalloc int[PathAnswerBody.MaxFillers];
            int count = answer.CopyTo(lengths);
            for (int index = 0; index < count; index++)
            {
                Require(lengths[index] is >= PathFillerBody.ShortestDatagram and <= DatagramHeader.MaxDatagram);
                Require(index == 0 || lengths[index] < lengths[index - 1]);
            }
            return true;
        },
        Body("path-answer"));

    [Fact]
    public void AnyBytesAreAFillerOrRefused() =>
        Totality.Check(input => PathFillerBody.TryRead(input, out _), Body("path-filler"));

    [Fact]
    public void AnyBytesAreAPartOrRefused() => Totality.Check(
        input =>
        {
            if (!RepairPartBody.TryRead(input, out RepairPartBody part)) return false;
            Require(part.Bytes.Length > 0 && part.Offset >= 0 && part.Offset + part.Bytes.Length <= part.Total);
            Require(part.Total is > DatagramHeader.Length and <= DatagramHeader.MaxDatagram);
            return true;
        },
        Body("repair-part"));

    [Fact]
    public void AnyBytesAreANoteOrRefused() => Totality.Check(
        input =>
        {
            if (!NoteBody.TryRead(input, out NoteBody note)) return false;
            LentPlace place = note.Place;
            Require(input.Length == NoteBody.Length && place.Offset >= 0 && note.IsOffer == (place.Length == 0));
            Require(note.IsOffer || place.Length is >= DatagramHeader.Length and <= DatagramHeader.MaxDatagram);
            return true;
        },
        Body("note"),
        Body("offer"));

    [Fact]
    public void AnyBytesAreNotesOrRefused() => Totality.Check(
        input =>
        {
            if (!NoteList.TryRead(input, out NoteList notes)) return false;
            Require(notes.Count is > 0 and <= NoteList.MostPlaces);
            Require(NoteList.DatagramLength(notes.Count) == DatagramHeader.Length + input.Length);
            for (int index = 0; index < notes.Count; index++)
            {
                LentPlace place = notes[index].Place;
                Require(place.Offset >= 0 && notes.IsOffer == (place.Length == 0));
                Require(notes.IsOffer || place.Length is >= DatagramHeader.Length and <= DatagramHeader.MaxDatagram);
            }
            return true;
        },
        Body("notes"),
        Body("note"),
        Body("offer"));

    [Fact]
    public void AnyBytesAreATokensHopOrRefused()
    {
        var skipped = new List<int>(WireSamples.Members);
        Totality.Check(
            input =>
            {
                var reader = new WireReader(input);
                TokenHop hop = TokenHop.Read(ref reader, WireSamples.Members, skipped);
                if (!reader.IsAtEnd) return false;
                Require(hop.Part < hop.Parts && hop.Parts <= TokenHop.MaxParts && hop.From != hop.To);
                Require(
                    hop.Leader < WireSamples.Members && hop.From < WireSamples.Members && hop.To < WireSamples.Members);
                foreach (int member in skipped) Require(member is >= 0 and < WireSamples.Members);
                return true;
            },
            Body("token-ack"));
    }

    [Fact]
    public void AnyBytesAreATokenOrRefused()
    {
        var token = new Token();
        Totality.Check(
            input =>
            {
                if (!token.TryRead(input, WireSamples.Members, WireSamples.Partitions)) return false;
                Require(token.Partition < WireSamples.Partitions && token.PartitionLead < WireSamples.Members);
                for (int index = 0; index < token.StreamCount; index++) WalkStream(token[index]);
                return true;
            },
            TokenBody());
    }

    [Fact]
    public void EveryBodyHasOneForm()
    {
        Totality.CheckOneForm(
            bytes => AckBody.TryRead(bytes, WireSamples.Members, Behind, out AckBody ack)
                ? Written((ref WireWriter writer) => ack.WriteTo(ref writer, Behind))
                : null,
            Body("ack"),
            Body("ack-unknown-read-position"));
        Totality.CheckOneForm(
            bytes => CarrierWordBody.TryRead(bytes, out CarrierWordBody word) ? Written(word.WriteTo) : null,
            Body("carrier-word"), Body("carrier-word-unheard"));
        Totality.CheckOneForm(
            bytes => NakBody.TryRead(bytes, out NakBody nak)
                ? WrittenNak(nak.PartitionWide, ToArray(nak.Ranges)) : null, Body("nak"));
        Totality.CheckOneForm(
            bytes => PullBody.TryRead(bytes, out PullBody pull)
                ? WrittenPull(pull.Stream, pull.Partition, pull.Longest, ToArray(pull.Ranges))
                : null,
            Body("pull"));
        Totality.CheckOneForm(
            bytes => NoteBody.TryRead(bytes, out NoteBody note) ? WrittenNote(note) : null, Body("note"),
            Body("offer"));
        Totality.CheckOneForm(
            bytes => NoteList.TryRead(bytes, out NoteList notes) ? WrittenNotes(notes) : null, Body("notes"),
            Body("note"), Body("offer"));
        Totality.CheckOneForm(
            bytes => PathQueryBody.TryRead(bytes, out PathQueryBody query) ? Written(query.WriteTo) : null,
            Body("path-query"));
        Totality.CheckOneForm(
            bytes => PathAnswerBody.TryRead(bytes, out PathAnswerBody answer) ? WrittenAnswer(answer) : null,
            Body("path-answer"));
        Totality.CheckOneForm(
            bytes => PathFillerBody.TryRead(bytes, out uint nonce) ? WrittenFiller(bytes.Length, nonce) : null,
            Body("path-filler"));
        Totality.CheckOneForm(
            bytes => RepairPartBody.TryRead(bytes, out RepairPartBody part) ? WrittenPart(part) : null,
            Body("repair-part"));
        Totality.CheckOneForm(WriteHopAgain, Body("token-ack"));
        Totality.CheckOneForm(WritePacketAgain, Body("data"), Body("fragments"), Body("runs"), Body("pieces"));
        Totality.CheckOneForm(WritePieceAgain, Parts());
        Totality.CheckOneForm(WriteTokenAgain, TokenBody());
    }

    /// <summary>Asserts without allocating, as what is allocated is counted.</summary>
    private static void Require(bool holds)
    {
        if (!holds) Assert.Fail("what was accepted makes no sense");
    }

    private bool ReadPacket(Span<byte> input)
    {
        var reader = new WireReader(input);
        _sum += reader.ReadVarint();
        while (PacketRecord.TryRead(
            ref reader, DatagramHeader.Length + input.Length, WireSamples.ServerEpoch, out PacketRecord record))
        {
            Require(record.Bytes.Length + record.FragmentOffset <= record.MessageLength * record.Count);
            Require(record.GroupIndex >= 0 && record.Number > 0);
            Require(
                record.Count == 1
                    || (!record.IsFirst && !record.IsFragment && !record.IsPiece
                    && record.Bytes.Length == record.MessageLength * record.Count));
            Require(
                input.Slice(record.BytesOffset - DatagramHeader.Length, record.Bytes.Length)
                    .SequenceEqual(record.Bytes));
        }
        return reader.IsAtEnd;
    }

    private bool ReadPiece(Span<byte> input)
    {
        bool isRead = MessagePiece.TryRead(input, out MessagePiece part);
        Require(!isRead || part.Id > 0);
        Require(!isRead || (part.Offset == 0 || !part.IsFirst));
        Require(!isRead || input[part.BytesOffset..].SequenceEqual(part.Bytes));
        _sum += part.Offset;
        return isRead;
    }

    private static byte[][] Parts() =>
    [
        Convert.FromHexString("0101006162"), Convert.FromHexString("000102636465"), Convert.FromHexString("0401AB02"),
        Convert.FromHexString("030200"),
    ];

    private static byte[]? WritePieceAgain(byte[] bytes)
    {
        if (!MessagePiece.TryRead(bytes, out MessagePiece part)) return null;
        var written = new byte[bytes.Length];
        var writer = new WireWriter(written);
        if (part.IsGivenUp) MessagePiece.WriteGivenUp(ref writer, part.Id, part.Offset);
        else MessagePiece.WriteHead(ref writer, part.Id, part.Offset, part.IsFirst, part.IsLast, part.IsPublished);
        writer.WriteBytes(part.Bytes);
        return written[..writer.Written];
    }

    private static bool Walk(SequenceRangeList ranges)
    {
        ulong end = 0;
        int count = 0;
        foreach (SequenceRange range in ranges)
        {
            Require(!range.IsEmpty && range.Start > end);
            end = range.End;
            count++;
        }
        return count == ranges.Count;
    }

    private void WalkStream(TokenStream stream)
    {
        _sum += stream.Contiguous + stream.Place + (stream.ReadPosition ?? 0);
        foreach (ulong held in stream.Held) _sum += held;
        foreach (TokenRange range in stream.Previous.Ranges) Require(range.Start < range.End);
        foreach (TokenRange range in stream.Common.Ranges) Require(range.Start < range.End);
    }

    private static byte[]? WriteTokenAgain(byte[] bytes)
    {
        var token = new Token();
        if (!token.TryRead(bytes, WireSamples.Members, WireSamples.Partitions)) return null;
        return Written((ref WireWriter writer) => token.WriteTo(ref writer, 0));
    }

    private static byte[]? WriteHopAgain(byte[] bytes)
    {
        var reader = new WireReader(bytes);
        var skipped = new List<int>();
        TokenHop hop = TokenHop.Read(ref reader, WireSamples.Members, skipped);
        return reader.IsAtEnd ? Written((ref WireWriter writer) => hop.WriteTo(ref writer, skipped.ToArray())) : null;
    }

    private static byte[]? WritePacketAgain(byte[] bytes)
    {
        var reader = new WireReader(bytes);
        var written = new byte[bytes.Length + 16];
        var writer = new WireWriter(written);
        writer.WriteVarint(reader.ReadVarint());
        int filler = reader.Remaining;
        while (PacketRecord.TryRead(
            ref reader, DatagramHeader.Length + bytes.Length, WireSamples.ServerEpoch, out PacketRecord record))
        {
            PacketRecord.WriteHead(
                ref writer,
                WireSamples.ServerEpoch,
                record.GroupIndex,
                record.Number,
                record.IsFirst,
                record.PreviousStep,
                record.MessageLength,
                record.FragmentOffset,
                record.Bytes.Length / record.Count,
                record.Count,
                record.IsPiece);
            writer.WriteBytes(record.Bytes);
            filler = reader.Remaining;
        }
        if (!reader.IsAtEnd) return null;
        var rest = new WireWriter(writer.Reserve(filler));
        PacketRecord.WriteFiller(ref rest);
        return written[..writer.Written];
    }

    private static byte[] WrittenNak(bool wide, SequenceRange[] ranges) =>
        Written((ref WireWriter writer) => NakBody.Write(ref writer, wide, ranges));

    private static byte[] WrittenPull(ulong stream, int partition, int longest, SequenceRange[] ranges) =>
        Written((ref WireWriter writer) => PullBody.Write(ref writer, stream, partition, longest, ranges));

    private static byte[] WrittenAnswer(PathAnswerBody answer)
    {
        var lengths = new int[PathAnswerBody.MaxFillers];
        int count = answer.CopyTo(lengths);
        uint nonce = answer.Nonce;
        int longest = answer.Longest;
        return Written(
            (ref WireWriter writer) => PathAnswerBody.Write(ref writer, nonce, longest, lengths.AsSpan(0, count)));
    }

    private static byte[] WrittenPart(RepairPartBody part)
    {
        var whole = new byte[part.Total];
        part.Bytes.CopyTo(whole.AsSpan(part.Offset));
        var bytes = new byte[RepairPartBody.Overhead - DatagramHeader.Length + part.Bytes.Length];
        RepairPartBody.Write(bytes, whole, part.Offset);
        return bytes;
    }

    private static byte[] WrittenFiller(int length, uint nonce)
    {
        var bytes = new byte[length];
        PathFillerBody.Write(bytes, nonce);
        return bytes;
    }

    private static byte[] WrittenNotes(NoteList notes)
    {
        var bytes = new byte[NoteList.DatagramLength(notes.Count) - DatagramHeader.Length];
        for (int index = 0; index < notes.Count; index++) NoteList.Write(bytes, index, notes[index]);
        return bytes;
    }

    private static byte[] WrittenNote(NoteBody note)
    {
        var bytes = new byte[NoteBody.Length];
        note.WriteTo(bytes);
        return bytes;
    }

    private static byte[] Written(WireSamples.BodyWriter body)
    {
        var bytes = new byte[4096];
        var writer = new WireWriter(bytes);
        body(ref writer);
        return bytes[..writer.Written];
    }

    private static SequenceRange[] ToArray(SequenceRangeList list)
    {
        var ranges = new List<SequenceRange>();
        foreach (SequenceRange range in list) ranges.Add(range);
        return [.. ranges];
    }

    private static byte[] Body(string name) => GoldenFile.Read(name)[DatagramHeader.Length..];

    private static byte[] TokenBody() => Written((ref WireWriter writer) => WireSamples.Token().WriteTo(ref writer, 0));
}
