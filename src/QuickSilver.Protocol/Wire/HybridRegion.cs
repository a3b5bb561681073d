namespace QuickSilver.Protocol.Wire;

/// <summary>
/// One region's header in a <see cref="HybridPacket"/>: what the region's own packet says and the other regions' do
/// not.
/// <code>
/// view tag      4 bytes  ViewNumber.Tag
/// view counter  4 bytes  ViewNumber.Counter
/// [checksum]    4 bytes  CRC-32C of the body of the region's packet, if the datagram has DatagramFlags.PayloadChecksum
/// flags         1 byte   bit 0: the first message is its group's first in this stream; bit 1: its previous step is in
///                        another epoch than the view's; bit 2: feedback wanted; bit 3: feedback awaited
/// sequence      varint   of the packet in the region's stream: 1 to 2^48 - 1
/// step          varint   of the messages, as a difference from the first step of the view
/// group         varint   index of the group in the region's sorted list of groups
/// [bit 0]       varint   counter of the step of the group's previous message from this sender; 0: there was none
/// [bit 1]       varint   term of that step's epoch, then 8 bytes: its server
/// </code>
/// </summary>
internal readonly record struct HybridRegion
{
    /// <summary>The longest form of one header.</summary>
    public const int MaxLength = 4 + 4 + 4 + 1 + 7 + 10 + 3 + 10 + 10 + 8;

    private const int FirstBit = 1;
    private const int ForeignEpochBit = 2;
    private const int WantedBit = 4;
    private const int AwaitedBit = 8;
    private const ulong MaxSequence = (1UL << 48) - 1;

    /// <summary>Tag of the region view's number.</summary>
    public uint ViewTag { get; init; }

    /// <summary>Counter of the region view's number.</summary>
    public uint ViewCounter { get; init; }

    /// <summary>Checksum of the body of the region's packet; 0 where payloads have none.</summary>
    public uint Checksum { get; init; }

    /// <summary>How soon the sender wants feedback of this region.</summary>
    public FeedbackUrgency Urgency { get; init; }

    /// <summary>The packet's sequence in the region's stream.</summary>
    public ulong Sequence { get; init; }

    /// <summary>Step of the messages, as a difference from the view's first step.</summary>
    public ulong Step { get; init; }

    /// <summary>Index of the group in the region's list of groups.</summary>
    public int GroupIndex { get; init; }

    /// <summary>True when the first message of the packet is its group's first in the region's stream.</summary>
    public bool IsFirst { get; init; }

    /// <summary>Counter of the step of the group's previous message; 0: there was none.</summary>
    public ulong PreviousCounter { get; init; }

    /// <summary>Epoch of that step, where it is not the view's; else null.</summary>
    public Epoch? PreviousEpoch { get; init; }

    /// <summary>
    /// The step of the group's previous message, in a view of an epoch; none when there was none.
    /// </summary>
    public StepNumber PreviousStep(Epoch viewEpoch) =>
        PreviousCounter == 0 ? default : new StepNumber(PreviousEpoch ?? viewEpoch, PreviousCounter);

    /// <summary>Writes the header.</summary>
    /// <param name="writer">The list.</param>
    /// <param name="hasChecksum">True when payloads have a checksum.</param>
    /// <returns>Offset of the checksum in the list; -1 without one.</returns>
    public int WriteTo(ref WireWriter writer, bool hasChecksum)
    {
        writer.WriteUInt32(ViewTag);
        writer.WriteUInt32(ViewCounter);
        int checksumAt = hasChecksum ? writer.Written : -1;
        if (hasChecksum) writer.WriteUInt32(Checksum);
        int flags = IsFirst ? FirstBit : 0;
        if (PreviousEpoch is not null) flags |= ForeignEpochBit;
        if (Urgency == FeedbackUrgency.Immediate) flags |= WantedBit;
        else if (Urgency == FeedbackUrgency.Normal) flags |= AwaitedBit;
        writer.WriteByte((byte)flags);
        writer.WriteVarint(Sequence);
        writer.WriteVarint(Step);
        writer.WriteVarint((ulong)GroupIndex);
        if (IsFirst) writer.WriteVarint(PreviousCounter);
        if (PreviousEpoch is { } epoch)
        {
            writer.WriteVarint(epoch.Term);
            writer.WriteUInt64(epoch.Server);
        }
        return checksumAt;
    }

    /// <summary>Reads a header. Total: the reader fails where the format is broken.</summary>
    /// <param name="reader">The list.</param>
    /// <param name="hasChecksum">True when payloads have a checksum.</param>
    public static HybridRegion Read(ref WireReader reader, bool hasChecksum)
    {
        uint tag = reader.ReadUInt32();
        uint counter = reader.ReadUInt32();
        uint checksum = hasChecksum ? reader.ReadUInt32() : 0;
        int flags = reader.ReadByte();
        bool isFirst = (flags & FirstBit) != 0;
        bool isForeign = (flags & ForeignEpochBit) != 0;
        bool isWanted = (flags & WantedBit) != 0;
        bool isAwaited = (flags & AwaitedBit) != 0;
        if (flags >= AwaitedBit << 1 || (isForeign && !isFirst) || (isWanted && isAwaited)) reader.Fail();
        ulong sequence = reader.ReadVarint(MaxSequence);
        if (sequence == 0) reader.Fail();
        ulong step = reader.ReadVarint();
        int group = (int)reader.ReadVarint(PacketRecord.MaxGroupsPerRegion - 1);
        ulong previous = isFirst ? reader.ReadVarint() : 0;
        Epoch? epoch = isForeign ? new Epoch(reader.ReadVarint(), reader.ReadUInt64()) : null;
        if (isForeign && previous == 0) reader.Fail();
        return new HybridRegion
        {
            ViewTag = tag,
            ViewCounter = counter,
            Checksum = checksum,
            Urgency = isWanted ? FeedbackUrgency.Immediate
                : isAwaited ? FeedbackUrgency.Normal : FeedbackUrgency.Low,
            Sequence = sequence,
            Step = step,
            GroupIndex = group,
            IsFirst = isFirst,
            PreviousCounter = previous,
            PreviousEpoch = epoch,
        };
    }
}
