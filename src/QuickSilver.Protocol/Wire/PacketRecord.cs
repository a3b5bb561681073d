namespace QuickSilver.Protocol.Wire;

/// <summary>
/// One message, or one fragment of a message, inside a packet; or a batch: messages of one group and length, with
/// consecutive numbers, which share one head. A packet's body is
/// <code>
/// step         varint   the step of all its messages, as a difference from the first step of the packet's region view
/// record*               until the datagram ends:
///   flags      1 byte   bit 0: first message of its group in this stream; bit 1: fragment;
///                       bit 2: previous step is in another epoch than the view's;
///                       bit 3, alone: no record, but filler: this byte and the zeros after it end the packet;
///                       bit 4, alone: a batch;
///                       bit 5: a piece of a long message (<see cref="MessagePiece"/>), never in a batch
///   group      varint   index of the group in the region's sorted list of groups
///   number     varint   message number, from 1, per (sender, group)
///   [first]    varint   counter of the step of the group's previous message from this sender; 0: there was none
///   [bit 2]    varint   term of that step's epoch, then 8 bytes: its server
///   [fragment] varint   length of the whole message, then varint: offset of this fragment in it
///   length     varint   bytes that follow; in a batch, of each message, at least 1
///   [batch]    2 bytes  number of messages, at least 2; of fixed length, so that a sender can write it last
///   bytes
/// </code>
/// Filler brings a packet to the length of its train's others when too little room remains for a fragment, or when
/// varints cannot meet the end exactly.
/// </summary>
internal readonly ref struct PacketRecord
{
    /// <summary>The longest message that any node accepts.</summary>
    public const int MaxMessageBytes = 16 << 20;

    /// <summary>Limit on the groups of one region: a cap on the index, checked before it is used.</summary>
    public const int MaxGroupsPerRegion = 1 << 20;

    /// <summary>Additional length of a batch's head.</summary>
    public const int CountBytes = sizeof(ushort);

    /// <summary>Limit on the messages of a batch.</summary>
    public const int MaxCount = ushort.MaxValue;

    /// <summary>Limit on the filler bytes of a packet.</summary>
    public const int MaxFiller = 63;

    private const byte FirstBit = 1;
    private const byte FragmentBit = 2;
    private const byte ForeignEpochBit = 4;
    private const byte FillerBit = 8;
    private const byte BatchBit = 16;
    private const byte PieceBit = 32;

    /// <summary>Index of the group in the region's sorted list.</summary>
    public int GroupIndex { get; init; }

    /// <summary>Message number.</summary>
    public ulong Number { get; init; }

    /// <summary>True when this is the group's first message in its stream.</summary>
    public bool IsFirst { get; init; }

    /// <summary>For a first message: the step of the group's previous message; none when there was none.</summary>
    public StepNumber PreviousStep { get; init; }

    /// <summary>True when <see cref="Bytes"/> is only a part of the message.</summary>
    public bool IsFragment { get; init; }

    /// <summary>True when the message is a piece of a long message.</summary>
    public bool IsPiece { get; init; }

    /// <summary>Length of the whole message.</summary>
    public int MessageLength { get; init; }

    /// <summary>Position of <see cref="Bytes"/> in the message.</summary>
    public int FragmentOffset { get; init; }

    /// <summary>Position of <see cref="Bytes"/> in the datagram, so that a receiver can keep a slice of it.</summary>
    public int BytesOffset { get; init; }

    /// <summary>The message's bytes, or the fragment's; those of all messages of a batch, one after another.</summary>
    public ReadOnlySpan<byte> Bytes { get; init; }

    /// <summary>
    /// Number of messages, numbered consecutively from <see cref="Number"/>: more than one in a batch.
    /// </summary>
    public int Count { get; private init; }

    /// <summary>Number of the highest message.</summary>
    public ulong Highest => Number + (ulong)(Count - 1);

    /// <summary>True when the message of this number is in the record.</summary>
    public bool Covers(ulong number) => number - Number < (ulong)Count;

    /// <summary>
    /// Upper bound of a record's bytes before the message's own; for deciding whether a packet has room for more.
    /// </summary>
    public const int MaxOverhead = 1 + 3 + 10 + 10 + 18 + 4 + 4 + 4 + CountBytes;

    /// <summary>
    /// Writes the part of a record that precedes the message's bytes. The caller writes <paramref name="length"/> bytes
    /// after it, for each message of a batch.
    /// </summary>
    /// <param name="writer">The packet's body.</param>
    /// <param name="viewEpoch">Epoch of the region view.</param>
    /// <param name="groupIndex">Index of the group in the region.</param>
    /// <param name="number">Message number.</param>
    /// <param name="first">True for the group's first message in the stream, with
    /// <paramref name="previousStep"/>.</param>
    /// <param name="previousStep">Step of the group's previous message; none when there was none.</param>
    /// <param name="messageLength">Length of the whole message.</param>
    /// <param name="offset">Offset of this part.</param>
    /// <param name="length">Length of this part; equal to <paramref name="messageLength"/> for a whole message.</param>
    /// <param name="count">Messages; more than one only of whole ones that are not empty, of which the first is not its
    /// group's first.</param>
    /// <param name="isPiece">True for a piece of a long message; then <paramref name="count"/> is 1.</param>
    public static void WriteHead(
        ref WireWriter writer,
        Epoch viewEpoch,
        int groupIndex,
        ulong number,
        bool first,
        StepNumber previousStep,
        int messageLength,
        int offset,
        int length,
        int count = 1,
        bool isPiece = false)
    {
        bool fragment = length != messageLength;
        bool isBatch = count > 1;
        System.Diagnostics.Debug.Assert(
            !isBatch || (!first && !fragment && !isPiece && length > 0 && count <= MaxCount),
            "the messages form no batch");
        bool foreign = first && !previousStep.IsNone && previousStep.Epoch != viewEpoch;
        int flags = first ? FirstBit : 0;
        if (fragment) flags |= FragmentBit;
        if (foreign) flags |= ForeignEpochBit;
        if (isBatch) flags |= BatchBit;
        if (isPiece) flags |= PieceBit;
        writer.WriteByte((byte)flags);
        writer.WriteVarint((ulong)groupIndex);
        writer.WriteVarint(number);
        if (first) writer.WriteVarint(previousStep.Counter);
        if (foreign)
        {
            writer.WriteVarint(previousStep.Epoch.Term);
            writer.WriteUInt64(previousStep.Epoch.Server);
        }
        if (fragment)
        {
            writer.WriteVarint((ulong)messageLength);
            writer.WriteVarint((ulong)offset);
        }
        writer.WriteVarint((ulong)length);
        if (isBatch) writer.WriteUInt16((ushort)count);
    }

    /// <summary>
    /// Bytes of a record before the message's own, without the length field: add <see cref="WireWriter.VarintLength"/>
    /// of the length, and <see cref="CountBytes"/> for a batch.
    /// </summary>
    public static int HeadLength(
        Epoch viewEpoch,
        int groupIndex,
        ulong number,
        bool first,
        StepNumber previousStep,
        int messageLength,
        int offset,
        bool fragment)
    {
        int length = 1 + WireWriter.VarintLength((ulong)groupIndex) + WireWriter.VarintLength(number);
        if (first)
        {
            length += WireWriter.VarintLength(previousStep.Counter);
            bool isForeign = !previousStep.IsNone && previousStep.Epoch != viewEpoch;
            if (isForeign) length += WireWriter.VarintLength(previousStep.Epoch.Term) + 8;
        }
        if (fragment)
        {
            length += WireWriter.VarintLength((ulong)messageLength) + WireWriter.VarintLength((ulong)offset);
        }
        return length;
    }

    /// <summary>Fills the rest of a packet that has at most <see cref="MaxFiller"/> bytes left.</summary>
    public static void WriteFiller(ref WireWriter writer)
    {
        Span<byte> rest = writer.Reserve(writer.Remaining);
        System.Diagnostics.Debug.Assert(rest.Length <= MaxFiller, "too much filler");
        if (rest.IsEmpty) return;
        rest.Clear();
        rest[0] = FillerBit;
    }

    /// <summary>
    /// Reads the next record. Total: false when the body is at its end (filler skipped) or breaks the format (then
    /// <see cref="WireReader.Failed"/> is true).
    /// </summary>
    /// <param name="reader">The packet's body, after the step.</param>
    /// <param name="datagramLength">Length of the whole datagram, from which <see cref="BytesOffset"/> is
    /// computed.</param>
    /// <param name="viewEpoch">Epoch of the region view.</param>
    /// <param name="record">The record.</param>
    public static bool TryRead(ref WireReader reader, int datagramLength, Epoch viewEpoch, out PacketRecord record)
    {
        record = default;
        if (reader.Failed || reader.Remaining == 0) return false;
        byte flags = reader.ReadByte();
        if (flags == FillerBit)
        {
            ReadFiller(ref reader);
            return false;
        }
        bool isBatch = flags == BatchBit;
        if (!isBatch && (flags & ~(FirstBit | FragmentBit | ForeignEpochBit | PieceBit)) != 0) reader.Fail();
        if ((flags & (FirstBit | ForeignEpochBit)) == ForeignEpochBit) reader.Fail();
        int group = (int)reader.ReadVarint(MaxGroupsPerRegion - 1);
        ulong number = reader.ReadVarint();
        if (number == 0) reader.Fail();
        StepNumber previous = default;
        if ((flags & FirstBit) != 0)
        {
            ulong counter = reader.ReadVarint();
            bool foreign = (flags & ForeignEpochBit) != 0;
            Epoch epoch = foreign ? new Epoch(reader.ReadVarint(), reader.ReadUInt64()) : viewEpoch;
            if (counter != 0) previous = new StepNumber(epoch, counter);
            // Each meaning has one form: an epoch is written only where there is a step, and only if it is not the
            // view's.
            if (foreign && (counter == 0 || epoch == viewEpoch)) reader.Fail();
        }
        bool fragment = (flags & FragmentBit) != 0;
        int total = 0, offset = 0;
        if (fragment)
        {
            total = (int)reader.ReadVarint(MaxMessageBytes);
            offset = (int)reader.ReadVarint(MaxMessageBytes);
        }
        int length = (int)reader.ReadVarint(DatagramHeader.MaxDatagram);
        if (!fragment) total = length;
        if (fragment && (length == 0 || length >= total || offset > total - length)) reader.Fail();
        int count = isBatch ? reader.ReadUInt16() : 1;
        // An empty message would allow any claim about their number.
        if (isBatch && (count < 2 || length == 0)) reader.Fail();
        int bytesOffset = datagramLength - reader.Remaining;
        long all = (long)length * count;
        if (all > reader.Remaining) reader.Fail();
        ReadOnlySpan<byte> bytes = reader.ReadBytes(reader.Failed ? 0 : (int)all);
        if (reader.Failed) return false;
        record = new PacketRecord
        {
            GroupIndex = group,
            Number = number,
            IsFirst = (flags & FirstBit) != 0,
            PreviousStep = previous,
            IsFragment = fragment,
            IsPiece = (flags & PieceBit) != 0,
            MessageLength = total,
            FragmentOffset = offset,
            BytesOffset = bytesOffset,
            Bytes = bytes,
            Count = count,
        };
        return true;
    }

    private static void ReadFiller(ref WireReader reader)
    {
        ReadOnlySpan<byte> zeros = reader.ReadBytes(reader.Remaining);
        if (zeros.Length >= MaxFiller || zeros.ContainsAnyExcept((byte)0)) reader.Fail();
    }
}
