using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>Each format, byte by byte, both ways.</summary>
public class GoldenTests
{
    private const DatagramFlags DataFlags = DatagramFlags.PayloadChecksum | DatagramFlags.FeedbackWanted;

    public static TheoryData<string> Names => [.. GoldenFile.Names];

    [Fact]
    public void EveryGoldenFileIsWrittenByATest() =>
        Assert.Equal(Written().Select(pair => pair.Name).Order(StringComparer.Ordinal), GoldenFile.Names);

    [Fact]
    public void WhatIsWrittenIsTheGoldenBytes()
    {
        foreach ((string name, byte[] datagram) in Written())
        {
            byte[] golden = GoldenFile.Read(name);
            Assert.True(
                golden.AsSpan().SequenceEqual(datagram),
                $"{name}: {Convert.ToHexString(datagram)} instead of {Convert.ToHexString(golden)}");
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void TheGoldenHeadersAreRead(string name)
    {
        byte[] datagram = GoldenFile.Read(name);

        Assert.Equal(RejectReason.None, DatagramHeader.TryRead(datagram, out DatagramHeader header));
        Assert.Equal(datagram.Length, header.TotalLength);
        Assert.False(header.Ignorable);
        Assert.Equal(WireSamples.Cluster, header.Cluster);
        (uint, uint) view = header.Kind == DatagramKind.Hybrid ? default : (WireSamples.Tag, WireSamples.Counter);
        Assert.Equal(view, (header.ViewTag, header.ViewCounter));
        Assert.Equal(WireSamples.Sender.Key, header.Sender);
        if (DatagramKinds.CarriesPacket(header.Kind)) Assert.True(header.PayloadIsIntact(datagram));
    }

    [Fact]
    public void TheHybridPacketIsRead()
    {
        byte[] datagram = GoldenFile.Read("hybrid");
        DatagramHeader.TryRead(datagram, out DatagramHeader header);
        Assert.Equal(
            RejectReason.None,
            HybridPacket.TryRead(
                header, datagram, out ReadOnlySpan<byte> regions, out ReadOnlySpan<byte> records));
        var reader = new WireReader(regions);
        foreach (HybridRegion expected in WireSamples.HybridRegions)
        {
            HybridRegion region = HybridRegion.Read(ref reader, hasChecksum: true);
            Assert.Equal(expected with { Checksum = region.Checksum }, region);
            Assert.NotEqual(0u, region.Checksum);
        }
        Assert.True(reader.IsAtEnd);
        Assert.Equal(records.ToArray(), datagram[^records.Length..]);
    }

    [Fact]
    public void TheWordsOnCarriersAreRead()
    {
        Assert.True(CarrierWordBody.TryRead(Body("carrier-word"), out CarrierWordBody word));
        Assert.Equal(200UL, word.Heard);
        Assert.True(CarrierWordBody.TryRead(Body("carrier-word-unheard"), out word));
        Assert.Null(word.Heard);
    }

    [Fact]
    public void ThePacketOfWholeMessagesIsRead()
    {
        byte[] datagram = GoldenFile.Read("data");
        DatagramHeader.TryRead(datagram, out DatagramHeader header);
        Assert.Equal((DatagramKind.Data, DataFlags, 0x1234UL), (header.Kind, header.Flags, header.Sequence));

        var reader = new WireReader(datagram.AsSpan(DatagramHeader.Length));
        Assert.Equal(300UL, reader.ReadVarint());
        AssertRecord(ref reader, datagram, 5, 1000, "hello", false, default);
        AssertRecord(ref reader, datagram, 0, 1, "", true, default);
        AssertRecord(ref reader, datagram, 200, 128, "x", true, new StepNumber(WireSamples.ServerEpoch, 299));
        AssertRecord(
            ref reader, datagram, (1 << 20) - 1, ulong.MaxValue - 1, "yz", true,
            new StepNumber(WireSamples.OtherReign, 16384));
        Assert.False(PacketRecord.TryRead(ref reader, datagram.Length, WireSamples.ServerEpoch, out _));
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void ThePacketOfFragmentsIsRead()
    {
        byte[] datagram = GoldenFile.Read("fragments");
        var reader = new WireReader(datagram.AsSpan(DatagramHeader.Length));
        Assert.Equal(0UL, reader.ReadVarint());
        AssertRecord(
            ref reader, datagram, 2, 77, "abcd", true, new StepNumber(WireSamples.ServerEpoch, 41), 16 << 20, 0);
        AssertRecord(ref reader, datagram, 3, 78, "efg", false, default, 300, 297);
        Assert.False(PacketRecord.TryRead(ref reader, datagram.Length, WireSamples.ServerEpoch, out _));
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void ThePacketOfRunsIsRead()
    {
        byte[] datagram = GoldenFile.Read("runs");
        var reader = new WireReader(datagram.AsSpan(DatagramHeader.Length));
        Assert.Equal(1UL, reader.ReadVarint());
        AssertRecord(ref reader, datagram, 5, 1000, "abcdefghi", false, default, count: 3);
        AssertRecord(ref reader, datagram, 5, 1003, "jk", false, default);
        AssertRecord(ref reader, datagram, 300, 16384, new string('\0', 400), false, default, count: 400);
        Assert.False(PacketRecord.TryRead(ref reader, datagram.Length, WireSamples.ServerEpoch, out _));
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void ThePacketOfPiecesIsRead()
    {
        byte[] datagram = GoldenFile.Read("pieces");
        var reader = new WireReader(datagram.AsSpan(DatagramHeader.Length));
        Assert.Equal(0UL, reader.ReadVarint());
        AssertPiece(ref reader, datagram, 9, (1, 0, true, false, false), "ab");
        AssertPiece(ref reader, datagram, 10, (1, 2, false, false, false), "cde");
        AssertPiece(ref reader, datagram, 11, (1, 299, false, false, true), "");
        AssertPiece(ref reader, datagram, 1, (2, 0, true, true, false), "");
        Assert.False(PacketRecord.TryRead(ref reader, datagram.Length, WireSamples.ServerEpoch, out _));
        Assert.True(reader.IsAtEnd);
    }

    [Fact]
    public void TheBodiesOfFeedbackAndRequestsAreRead()
    {
        var behind = new LagList();
        Assert.True(AckBody.TryRead(Body("ack"), WireSamples.Members, behind, out AckBody ack));
        Assert.Equal(new AckBody(1000, 1300, 1200, 3, 20000), ack);
        Assert.Equal(WireSamples.Behind.Entries.ToArray(), behind.Entries.ToArray());
        Assert.True(AckBody.TryRead(Body("ack-unknown-read-position"), WireSamples.Members, behind, out ack));
        Assert.Equal(new AckBody(0, ulong.MaxValue, null, 1, 0), ack);
        Assert.Equal(0, behind.Count);

        Assert.True(NakBody.TryRead(Body("nak"), out NakBody nak));
        Assert.True(nak.PartitionWide);
        Assert.Equal([new(1, 2), new(300, 428), new(429, 431)], ToArray(nak.Ranges));

        Assert.True(PullBody.TryRead(Body("pull"), out PullBody pull));
        Assert.Equal((WireSamples.Peer.Key, 37, 1208), (pull.Stream, pull.Partition, pull.Longest));
        Assert.Equal([new(1000, 1001), new(17385, 33769)], ToArray(pull.Ranges));
    }

    [Fact]
    public void TheNoteAndTheOfferAreRead()
    {
        Assert.True(NoteBody.TryRead(Body("note"), out NoteBody note));
        Assert.Equal(WireSamples.Note, note);
        Assert.False(note.IsOffer);
        Assert.True(NoteBody.TryRead(Body("offer"), out NoteBody offer));
        Assert.Equal(new NoteBody(WireSamples.Segment, default), offer);
        Assert.True(offer.IsOffer);
        Assert.True(NoteList.TryRead(Body("note"), out NoteList one));
        Assert.Equal((1, WireSamples.Note, false), (one.Count, one[0], one.IsOffer));
        Assert.True(NoteList.TryRead(Body("offer"), out NoteList offered));
        Assert.True(offered.IsOffer);
    }

    [Fact]
    public void TheNoteOfSeveralPacketsIsRead()
    {
        Assert.True(NoteList.TryRead(Body("notes"), out NoteList notes));
        Assert.Equal((3, WireSamples.Segment, false), (notes.Count, notes.Segment, notes.IsOffer));
        for (int index = 0; index < notes.Count; index++) Assert.Equal(WireSamples.Notes[index], notes[index]);
        Assert.False(NoteBody.TryRead(Body("notes"), out _));
    }

    [Fact]
    public void TheNoteOfARepairNamesThePeerThatSendsIt()
    {
        byte[] datagram = GoldenFile.Read("repair-note");
        DatagramHeader.TryRead(datagram, out DatagramHeader header);

        Assert.Equal(
            (DatagramKind.RepairNote, DatagramFlags.FromPeer, 0x1234UL), (header.Kind, header.Flags, header.Sequence));
        Assert.Equal((true, (ushort)191), (header.IsFromPeer, header.Relay));
        Assert.True(NoteBody.TryRead(Body("repair-note"), out NoteBody note));
        Assert.Equal(WireSamples.Note, note);
    }

    [Fact]
    public void TheBodiesThatMeasureAWayAreRead()
    {
        Assert.True(PathQueryBody.TryRead(Body("path-query"), out PathQueryBody query));
        Assert.Equal(new PathQueryBody(0xCAFEF00D, 1208, WantsFillers: true), query);

        Assert.True(PathAnswerBody.TryRead(Body("path-answer"), out PathAnswerBody answer));
        Assert.Equal((0xCAFEF00D, 1208, 3), (answer.Nonce, answer.Longest, answer.Fillers));
        var lengths = new int[PathAnswerBody.MaxFillers];
        Assert.Equal(3, answer.CopyTo(lengths));
        Assert.Equal([1328, 1208, 504], lengths[..3]);

        Assert.True(PathFillerBody.TryRead(Body("path-filler"), out uint nonce));
        Assert.Equal(0xCAFEF00D, nonce);
    }

    [Fact]
    public void ThePartOfARepairIsRead()
    {
        byte[] whole = GoldenFile.Read("repair");
        byte[] datagram = GoldenFile.Read("repair-part");
        DatagramHeader.TryRead(datagram, out DatagramHeader header);

        Assert.Equal(
            (DatagramKind.RepairPart, DatagramFlags.FromPeer, 0x1234UL), (header.Kind, header.Flags, header.Sequence));
        Assert.Equal((true, (ushort)191), (header.IsFromPeer, header.Relay));
        Assert.True(RepairPartBody.TryRead(Body("repair-part"), out RepairPartBody part));
        Assert.Equal((whole.Length, whole.Length - 20), (part.Total, part.Offset));
        Assert.Equal(whole[^20..], part.Bytes.ToArray());
    }

    [Fact]
    public void TheTokenIsRead()
    {
        var reader = new WireReader(Body("token"));
        var skipped = new List<int>();
        Assert.Equal(WireSamples.Hop, TokenHop.Read(ref reader, WireSamples.Members, skipped));
        Assert.Equal([7, 9], skipped);

        var token = new Token();
        Assert.True(token.TryRead(reader.ReadBytes(reader.Remaining), WireSamples.Members, WireSamples.Partitions));
        Token expected = WireSamples.Token();
        Assert.Equal((expected.Phase, expected.Partition), (token.Phase, token.Partition));
        Assert.Equal((expected.PartitionLead, expected.Complete), (token.PartitionLead, token.Complete));
        Assert.Equal(expected.Removed, token.Removed);
        Assert.Equal(expected.Told.Entries.ToArray(), token.Told.Entries.ToArray());
        Assert.Equal(expected.Behind.Entries.ToArray(), token.Behind.Entries.ToArray());
        Assert.Equal(expected.StreamCount, token.StreamCount);
        for (int index = 0; index < expected.StreamCount; index++) AssertStream(expected[index], token[index]);
    }

    private static void AssertStream(TokenStream expected, TokenStream stream)
    {
        Assert.Equal(expected.Sender, stream.Sender);
        Assert.Equal(
            (expected.Cleanup, expected.Cutoff, expected.Highest, expected.Contiguous, expected.ReadPosition,
                expected.Drops),
            (stream.Cleanup, stream.Cutoff, stream.Highest, stream.Contiguous, stream.ReadPosition, stream.Drops));
        Assert.Equal((expected.HasDetail, expected.Place), (stream.HasDetail, stream.Place));
        Assert.Equal((expected.IsOrphan, expected.IsClosed), (stream.IsOrphan, stream.IsClosed));
        Assert.Equal(
            (expected.Missing.Covered, expected.Missing.Count), (stream.Missing.Covered, stream.Missing.Count));
        for (int index = 0; index < expected.Missing.Count; index++)
            Assert.Equal(expected.Missing[index], stream.Missing[index]);
        Assert.Equal(expected.Held.ToArray(), stream.Held.ToArray());
        Assert.Equal(expected.Previous.Covered, stream.Previous.Covered);
        Assert.Equal(expected.Previous.Ranges.ToArray(), stream.Previous.Ranges.ToArray());
        Assert.Equal(expected.Common.Covered, stream.Common.Covered);
        Assert.Equal(expected.Common.Ranges.ToArray(), stream.Common.Ranges.ToArray());
    }

    private static IEnumerable<(string Name, byte[] Datagram)> Written()
    {
        byte[] data = WireSamples.Datagram(
            WireSamples.Header(DatagramKind.Data, DataFlags, 0x1234), WireSamples.WriteDataBody);
        yield return ("data", data);
        byte[] hybrid = WireSamples.Hybrid();
        yield return ("hybrid", hybrid);
        byte[] derived = new byte[DatagramHeader.MaxDatagram];
        yield return ("hybrid-packet", derived[..HybridPacket.Derive(hybrid, 1, WireSamples.ServerEpoch, derived)]);
        byte[] repair = [.. data];
        DatagramHeader.MarkAsPeerRepair(repair, 191);
        yield return ("repair", repair);
        yield return (
            "fragments",
            WireSamples.Datagram(WireSamples.Header(DatagramKind.Data, sequence: 1), WireSamples.WriteFragmentsBody));
        yield return (
            "runs",
            WireSamples.Datagram(WireSamples.Header(DatagramKind.Data, sequence: 2), WireSamples.WriteBatchesBody));
        yield return (
            "pieces",
            WireSamples.Datagram(WireSamples.Header(DatagramKind.Data, sequence: 3), WireSamples.WritePiecesBody));
        yield return ("beacon", WireSamples.Datagram(WireSamples.Header(DatagramKind.Beacon, sequence: 500)));
        yield return ("final", WireSamples.Datagram(WireSamples.Header(DatagramKind.Beacon, DatagramFlags.Final, 500)));
        yield return ("ack", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.Ack),
            (ref WireWriter writer) => new AckBody(
                1000, 1300, 1200, 3, 20000).WriteTo(ref writer, WireSamples.Behind)));
        yield return ("ack-unknown-read-position", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.Ack),
            (ref WireWriter writer) => new AckBody(0, ulong.MaxValue, null, 1, 0).WriteTo(ref writer)));
        yield return ("nak", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.Nak),
            (ref WireWriter writer) => NakBody.Write(ref writer, true, [new(1, 2), new(300, 428), new(429, 431)])));
        yield return ("pull", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.Pull),
            (ref WireWriter writer) => PullBody.Write(
                ref writer, WireSamples.Peer.Key, 37, 1208, [new(1000, 1001), new(17385, 33769)])));
        yield return (
            "carrier-probe", WireSamples.Datagram(WireSamples.Header(DatagramKind.CarrierProbe, sequence: 17)));
        yield return ("carrier-word", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.CarrierWord),
            (ref WireWriter writer) => new CarrierWordBody(200).WriteTo(ref writer)));
        yield return ("carrier-word-unheard", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.CarrierWord),
            (ref WireWriter writer) => new CarrierWordBody(null).WriteTo(ref writer)));
        yield return (
            "note", WireSamples.Datagram(WireSamples.Header(DatagramKind.Note, sequence: 0x1234), WireSamples.Note));
        yield return ("notes", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.Note, sequence: 0x1234),
            static (ref WireWriter writer) => WireSamples.WriteNotes(ref writer)));
        DatagramHeader again = WireSamples.Header(
            DatagramKind.RepairNote, DatagramFlags.FromPeer, 0x1234) with
        { Relay = 191 };
        yield return ("repair-note", WireSamples.Datagram(again, WireSamples.Note));
        var offer = new NoteBody(WireSamples.Segment, default);
        yield return ("offer", WireSamples.Datagram(WireSamples.Header(DatagramKind.Note, sequence: 500), offer));
        DatagramHeader part = WireSamples.Header(
            DatagramKind.RepairPart, DatagramFlags.FromPeer, 0x1234) with
        { Relay = 191 };
        yield return ("repair-part", WireSamples.Datagram(
            part, (ref WireWriter writer) => RepairPartBody.Write(writer.Reserve(24), repair, repair.Length - 20)));
        yield return ("path-query", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.PathQuery, sequence: WireSamples.Peer.Key),
            (ref WireWriter writer) => new PathQueryBody(0xCAFEF00D, 1208, WantsFillers: true).WriteTo(ref writer)));
        yield return ("path-answer", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.PathAnswer),
            (ref WireWriter writer) => PathAnswerBody.Write(ref writer, 0xCAFEF00D, 1208, [1328, 1208, 504])));
        yield return ("path-filler", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.PathFiller),
            (ref WireWriter writer) => PathFillerBody.Write(writer.Reserve(20), 0xCAFEF00D)));
        yield return ("token-ack", WireSamples.Datagram(
            WireSamples.Header(DatagramKind.TokenAck),
            (ref WireWriter writer) => WireSamples.Hop.WriteTo(ref writer, default)));
        yield return ("token", WireSamples.Datagram(WireSamples.Header(DatagramKind.Token), (ref WireWriter writer) =>
        {
            WireSamples.Hop.WriteTo(ref writer, [7, 9]);
            Assert.True(WireSamples.Token().WriteTo(ref writer, rotation: 0));
        }));
        foreach ((string Name, byte[] Datagram) timed in TimedSamples.All()) yield return timed;
        foreach ((string Name, byte[] Datagram) ordered in OrderedSamples.All()) yield return ordered;
    }

    private static void AssertRecord(
        ref WireReader reader, byte[] datagram, int group, ulong number, string text, bool first, StepNumber previous,
        int total = -1, int offset = 0,
        int count = 1)
    {
        Assert.True(
            PacketRecord.TryRead(ref reader, datagram.Length, WireSamples.ServerEpoch, out PacketRecord record));
        Assert.Equal(
            (group, number, first, previous), (record.GroupIndex, record.Number, record.IsFirst, record.PreviousStep));
        Assert.Equal(
            (count, total >= 0, total < 0 ? text.Length / count : total, offset),
            (record.Count, record.IsFragment, record.MessageLength, record.FragmentOffset));
        Assert.Equal(text, System.Text.Encoding.ASCII.GetString(record.Bytes));
        Assert.True(datagram.AsSpan(record.BytesOffset, record.Bytes.Length).SequenceEqual(record.Bytes));
    }

    private static void AssertPiece(
        ref WireReader reader, byte[] datagram, ulong number,
        (ulong Id, ulong Offset, bool IsFirst, bool IsLast, bool IsGivenUp) expected, string text)
    {
        Assert.True(
            PacketRecord.TryRead(ref reader, datagram.Length, WireSamples.ServerEpoch, out PacketRecord record));
        Assert.True(record.IsPiece);
        Assert.Equal(number, record.Number);
        Assert.True(MessagePiece.TryRead(record.Bytes, out MessagePiece part));
        Assert.Equal(expected, (part.Id, part.Offset, part.IsFirst, part.IsLast, part.IsGivenUp));
        Assert.Equal(text, System.Text.Encoding.ASCII.GetString(part.Bytes));
    }

    private static byte[] Body(string name) => GoldenFile.Read(name)[DatagramHeader.Length..];

    private static SequenceRange[] ToArray(SequenceRangeList list)
    {
        var ranges = new List<SequenceRange>();
        foreach (SequenceRange range in list) ranges.Add(range);
        return [.. ranges];
    }
}
