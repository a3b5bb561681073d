using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>The values that the golden datagrams were made of, and how our code writes and reads them.</summary>
internal static class WireSamples
{
    public const ulong Cluster = 0x0102030405060708;
    public const uint Tag = 0xA1A2A3A4;
    public const uint Counter = 7;
    public const int Members = 200;
    public const int Partitions = 2;

    public static readonly Epoch ServerEpoch = new(3, 0x1122334455667788);
    public static readonly Epoch OtherReign = new(2, 0x99AABBCCDDEEFF00);
    public static readonly NodeNumber Sender = new(ServerEpoch, 9);
    public static readonly NodeNumber Peer = new(ServerEpoch, 4);
    public static readonly NodeNumber Gone = new(ServerEpoch, 6);

    public static readonly SegmentName Segment = new(0xF1E2D3C4B5A69788, 4242, 17);
    public static readonly NoteBody Note = new(Segment, new LentPlace(300, 0x80000001, 61_440, 1400));

    public static readonly NoteBody[] Notes =
    [
        Note,
        new(Segment, new LentPlace(301, 7, 0, DatagramHeader.MaxDatagram)),
        new(Segment, new LentPlace(301, 7, 65_000, DatagramHeader.Length)),
    ];

    public delegate void BodyWriter(ref WireWriter writer);

    public static DatagramHeader Header(
        DatagramKind kind, DatagramFlags flags = DatagramFlags.None, ulong sequence = 0) => new()
        {
            Kind = kind,
            Flags = flags,
            Cluster = Cluster,
            ViewTag = Tag,
            ViewCounter = Counter,
            Sender = Sender.Key,
            Sequence = sequence,
        };

    public static byte[] Datagram(DatagramHeader header, BodyWriter? body = null, int capacity = 4096)
    {
        var bytes = new byte[capacity];
        var writer = new WireWriter(bytes.AsSpan(DatagramHeader.Length));
        body?.Invoke(ref writer);
        Assert.False(writer.Overflowed);
        bytes = bytes[..(DatagramHeader.Length + writer.Written)];
        header.WriteTo(bytes);
        return bytes;
    }

    public static void WriteNotes(ref WireWriter writer)
    {
        Span<byte> body = writer.Reserve(NoteList.DatagramLength(Notes.Length) - DatagramHeader.Length);
        for (int index = 0; index < Notes.Length; index++) NoteList.Write(body, index, Notes[index]);
    }

    public static byte[] Datagram(DatagramHeader header, NoteBody note) =>
        Datagram(header, (ref WireWriter writer) => note.WriteTo(writer.Reserve(NoteBody.Length)));

    public static readonly HybridRegion[] HybridRegions =
    [
        new()
        {
            ViewTag = 0xB1B2B3B4,
            ViewCounter = 8,
            Urgency = FeedbackUrgency.Normal,
            Sequence = 5,
            GroupIndex = 2,
        },
        new()
        {
            ViewTag = Tag,
            ViewCounter = Counter,
            Urgency = FeedbackUrgency.Immediate,
            Sequence = 0x1234,
            Step = 300,
            GroupIndex = 200,
            IsFirst = true,
            PreviousCounter = 16384,
            PreviousEpoch = OtherReign,
        },
    ];

    /// <summary>A hybrid packet of three messages, the last two of them a batch, with payload checksums.</summary>
    public static byte[] Hybrid()
    {
        var bytes = new byte[4096];
        var writer = new WireWriter(bytes.AsSpan(HybridPacket.RegionsOffset));
        int[] checksums = [.. new int[HybridRegions.Length]];
        for (int index = 0; index < checksums.Length; index++)
            checksums[index] = HybridRegions[index].WriteTo(ref writer, hasChecksum: true);
        int list = writer.Written;
        System.Buffers.Binary.BinaryPrimitives.WriteUInt16LittleEndian(
            bytes.AsSpan(HybridPacket.ListOffset), (ushort)list);
        WriteRecord(ref writer, 0, 1000, "hello"u8);
        PacketRecord.WriteHead(ref writer, default, 0, 1001, false, default, 3, 0, 3, 2);
        writer.WriteBytes("abcdef"u8);
        writer.WriteBytes([8, 0]);
        bytes = bytes[..(HybridPacket.RegionsOffset + writer.Written)];
        DatagramHeader header = Header(DatagramKind.Hybrid, DatagramFlags.PayloadChecksum) with
        {
            ViewTag = 0,
            ViewCounter = 0,
        };
        var place = new byte[4096];
        for (int index = 0; index < checksums.Length; index++)
        {
            int length = HybridPacket.Derive(
                header, HybridRegions[index], ServerEpoch, bytes.AsSpan(HybridPacket.RegionsOffset + list), place);
            System.Buffers.Binary.BinaryPrimitives.WriteUInt32LittleEndian(
                bytes.AsSpan(HybridPacket.RegionsOffset + checksums[index]),
                Crc32C.Of(place.AsSpan(DatagramHeader.Length, length - DatagramHeader.Length)));
        }
        header.WriteTo(bytes);
        return bytes;
    }

    public static void WriteRecord(
        ref WireWriter writer,
        int group,
        ulong number,
        ReadOnlySpan<byte> bytes,
        bool first = false,
        StepNumber previous = default,
        int total = -1,
        int offset = 0)
    {
        PacketRecord.WriteHead(
            ref writer, ServerEpoch, group, number, first, previous, total < 0 ? bytes.Length : total, offset,
            bytes.Length);
        writer.WriteBytes(bytes);
    }

    public static void WriteDataBody(ref WireWriter writer)
    {
        writer.WriteVarint(300);
        WriteRecord(ref writer, 5, 1000, "hello"u8);
        WriteRecord(ref writer, 0, 1, default, first: true);
        WriteRecord(ref writer, 200, 128, "x"u8, first: true, previous: new StepNumber(ServerEpoch, 299));
        var foreign = new StepNumber(OtherReign, 16384);
        WriteRecord(
            ref writer, PacketRecord.MaxGroupsPerRegion - 1, ulong.MaxValue - 1, "yz"u8, first: true,
            previous: foreign);
    }

    public static void WriteFragmentsBody(ref WireWriter writer)
    {
        writer.WriteVarint(0);
        WriteRecord(
            ref writer, 2, 77, "abcd"u8, first: true, previous: new StepNumber(ServerEpoch, 41),
            total: PacketRecord.MaxMessageBytes, offset: 0);
        WriteRecord(ref writer, 3, 78, "efg"u8, total: 300, offset: 297);
        var filler = new WireWriter(writer.Reserve(5));
        PacketRecord.WriteFiller(ref filler);
    }

    public static void WriteBatchesBody(ref WireWriter writer)
    {
        writer.WriteVarint(1);
        WriteBatch(ref writer, 5, 1000, 3, "abcdefghi"u8);
        WriteRecord(ref writer, 5, 1003, "jk"u8);
        WriteBatch(ref writer, 300, 16384, 400, new byte[400]);
    }

    public static void WritePiecesBody(ref WireWriter writer)
    {
        writer.WriteVarint(0);
        WritePiece(ref writer, 2, 9, 1, 0, "ab"u8, isFirst: true);
        WritePiece(ref writer, 2, 10, 1, 2, "cde"u8, total: 300);
        PacketRecord.WriteHead(ref writer, ServerEpoch, 2, 11, false, default, 4, 0, 4, isPiece: true);
        MessagePiece.WriteGivenUp(ref writer, 1, 299);
        WritePiece(ref writer, 3, 1, 2, 0, default, isFirst: true, isLast: true, isFirstOfGroup: true);
    }

    public static void WritePiece(
        ref WireWriter writer,
        int group,
        ulong number,
        ulong id,
        ulong offset,
        ReadOnlySpan<byte> bytes,
        bool isFirst = false,
        bool isLast = false,
        bool isFirstOfGroup = false,
        int total = -1)
    {
        var part = new WireWriter(new byte[MessagePiece.MaxHeadLength]);
        MessagePiece.WriteHead(ref part, id, offset, isFirst, isLast);
        int length = part.Written + bytes.Length;
        PacketRecord.WriteHead(
            ref writer, ServerEpoch, group, number, isFirstOfGroup, default, total < 0 ? length : total, 0, length,
            isPiece: true);
        MessagePiece.WriteHead(ref writer, id, offset, isFirst, isLast);
        writer.WriteBytes(bytes);
    }

    public static void WriteBatch(ref WireWriter writer, int group, ulong number, int count, ReadOnlySpan<byte> bytes)
    {
        int length = bytes.Length / count;
        PacketRecord.WriteHead(ref writer, ServerEpoch, group, number, first: false, default, length, 0, length, count);
        writer.WriteBytes(bytes);
    }

    public static TokenHop Hop => new(Epoch: 2, Leader: 4, Round: 300, Hop: 11, From: 190, To: 191, Part: 0, Parts: 1);

    public static LagList Behind
    {
        get
        {
            var behind = new LagList();
            behind.Add(new LagEntry(7, LagCause.Silent, 300, 900));
            behind.Add(new LagEntry(2, LagCause.ReadingSlowly, 5));
            return behind;
        }
    }

    public static Token Token()
    {
        var token = new Token();
        token.Clear();
        token.Told.CopyFrom(Behind);
        token.Behind.Add(new LagEntry(8, LagCause.Losing, 1));
        token.Partition = 1;
        token.PartitionLead = 190;
        token.Complete = false;
        TokenStream stream = token.Add(Peer.Key, Partitions);
        stream.Cleanup = 1000;
        stream.Cutoff = 1100;
        stream.Highest = 1500;
        stream.Contiguous = 999;
        stream.ReadPosition = 1450;
        stream.Drops = 7;
        stream.HasDetail = true;
        stream.Held[0] = 1010;
        stream.Held[1] = 990;
        stream.Place = 495;
        stream.Previous.Covered = 551;
        stream.Previous.Add(new TokenRange(496, 497, false));
        stream.Previous.Add(new TokenRange(500, 510, true));
        stream.Common.Covered = 540;
        token.Add(Sender.Key, Partitions).Highest = 5;
        token.AddRemoved(150);
        token.AddRemoved(7);
        TokenStream orphan = token.Add(Gone.Key, Partitions);
        orphan.Cleanup = orphan.Cutoff = 20;
        orphan.Highest = 60;
        orphan.Contiguous = 21;
        orphan.Orphan();
        orphan.Missing.Want(22, 30);
        orphan.Missing.Want(40, 41);
        orphan.Missing.Want(50, 51);
        orphan.Missing.BeginRound();
        orphan.Missing.Want(22, 30);
        orphan.Missing.Assign(0, 24, 26, 190);
        orphan.Missing.Assign(3, 40, 41, OrphanRange.Abandoned);
        token.Add(new NodeNumber(OtherReign, 5).Key, Partitions).Close(0);
        return token;
    }
}
