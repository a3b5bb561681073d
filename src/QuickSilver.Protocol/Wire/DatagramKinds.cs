namespace QuickSilver.Protocol.Wire;

/// <summary>Properties of the kinds of datagrams: priority, source endpoint, content.</summary>
internal static class DatagramKinds
{
    /// <summary>
    /// Set in the kind byte of datagrams that a node which does not know the kind may drop without counting an error.
    /// </summary>
    public const byte IgnorableBit = 0x80;

    /// <summary>
    /// The class in which a datagram is received. A lateral repair is read in its turn with packets: it names packets
    /// that may lie behind it in the sockets, and would seem to be missing.
    /// </summary>
    public static PriorityClass PriorityOf(DatagramKind kind) => kind switch
    {
        DatagramKind.Token or DatagramKind.TokenAck or DatagramKind.Ack => PriorityClass.Token,
        DatagramKind.Nak or DatagramKind.Pull or DatagramKind.CarrierWord => PriorityClass.Request,
        DatagramKind.PathQuery or DatagramKind.PathAnswer or DatagramKind.LateralNak => PriorityClass.Request,
        DatagramKind.Repair or DatagramKind.RepairNote or DatagramKind.RepairPart => PriorityClass.Repair,
        DatagramKind.LateralResend => PriorityClass.Repair,
        DatagramKind.TimedRepair or DatagramKind.TimedNak or DatagramKind.TimedGone or DatagramKind.TimedEcho
            or DatagramKind.TimedAsk => PriorityClass.Repair,
        _ => PriorityClass.Data,
    };

    /// <summary>
    /// The endpoint of its sender that a kind comes from; for a repair from a peer, of that peer. A datagram from
    /// elsewhere is forged. A kind that is not listed here is not checked.
    /// </summary>
    public static DatagramSource SourceOf(DatagramKind kind) => kind switch
    {
        DatagramKind.Token or DatagramKind.TokenAck or DatagramKind.Ack or DatagramKind.Nak or DatagramKind.Pull
            or DatagramKind.CarrierWord or DatagramKind.PathQuery or DatagramKind.PathAnswer
            or DatagramKind.LateralNak => DatagramSource.Control,
        DatagramKind.Data or DatagramKind.Repair or DatagramKind.Beacon or DatagramKind.Note or DatagramKind.RepairNote
            or DatagramKind.CarrierProbe or DatagramKind.RepairPart or DatagramKind.PathFiller
            or DatagramKind.Hybrid or DatagramKind.LateralData or DatagramKind.LateralRepair
            or DatagramKind.LateralResend or DatagramKind.LateralSession
            or DatagramKind.TimedData or DatagramKind.TimedRepair or DatagramKind.TimedNak or DatagramKind.TimedGone
            or DatagramKind.TimedStatus or DatagramKind.TimedEcho or DatagramKind.TimedAsk => DatagramSource.Data,
        _ => DatagramSource.Anywhere,
    };

    /// <summary>
    /// The lane in which a kind is sealed: a sequence of counters with a key of its own. A kind that has none is never
    /// sealed, and dropped in a secured cluster.
    /// </summary>
    public static SealLane LaneOf(DatagramKind kind) => kind switch
    {
        DatagramKind.Data => SealLane.Data,
        DatagramKind.Beacon or DatagramKind.Note or DatagramKind.CarrierProbe => SealLane.Sender,
        DatagramKind.Ack or DatagramKind.Nak or DatagramKind.CarrierWord or DatagramKind.PathQuery
            or DatagramKind.LateralNak or DatagramKind.TimedAsk or DatagramKind.TimedEcho => SealLane.Feedback,
        DatagramKind.Token or DatagramKind.TokenAck or DatagramKind.Pull or DatagramKind.TimedNak => SealLane.Member,
        DatagramKind.Repair or DatagramKind.RepairNote or DatagramKind.RepairPart or DatagramKind.LateralRepair
            or DatagramKind.LateralResend or DatagramKind.TimedRepair => SealLane.Repair,
        DatagramKind.PathAnswer or DatagramKind.PathFiller => SealLane.Path,
        DatagramKind.LateralData or DatagramKind.LateralSession or DatagramKind.TimedData or DatagramKind.TimedGone
            or DatagramKind.TimedStatus => SealLane.Mode,
        DatagramKind.Hybrid => SealLane.Hybrid,
        _ => SealLane.None,
    };

    /// <summary>
    /// The mode of groups that a kind belongs to: 1 lateral, 2 timed; 0 for all other kinds, and for numbers that have
    /// no meaning yet.
    /// </summary>
    public static byte ModeOf(DatagramKind kind) => kind switch
    {
        DatagramKind.LateralData or DatagramKind.LateralRepair or DatagramKind.LateralNak
            or DatagramKind.LateralResend or DatagramKind.LateralSession => 1,
        DatagramKind.TimedData or DatagramKind.TimedRepair or DatagramKind.TimedNak or DatagramKind.TimedGone
            or DatagramKind.TimedStatus or DatagramKind.TimedEcho or DatagramKind.TimedAsk => 2,
        _ => 0,
    };

    /// <summary>True for kinds that use the control sockets, so that they never wait behind data.</summary>
    public static bool IsControl(DatagramKind kind) => PriorityOf(kind) <= PriorityClass.Request;

    /// <summary>
    /// True for members' feedback to one sender; its header names that sender in <see cref="DatagramHeader.Sequence"/>.
    /// </summary>
    public static bool IsFeedback(DatagramKind kind) => LaneOf(kind) == SealLane.Feedback;

    /// <summary>
    /// True for kinds whose body is a packet; its checksum is optional and separate from the header's.
    /// </summary>
    public static bool CarriesPacket(DatagramKind kind) => kind is DatagramKind.Data or DatagramKind.Repair;

    /// <summary>True for kinds that name a packet's place in memory that sender and receivers share.</summary>
    public static bool IsNote(DatagramKind kind) => kind is DatagramKind.Note or DatagramKind.RepairNote;

    /// <summary>The kind of the packet that a datagram carries or names; for others the kind itself.</summary>
    public static DatagramKind PacketOf(DatagramKind kind) => kind switch
    {
        DatagramKind.Note => DatagramKind.Data,
        DatagramKind.RepairNote => DatagramKind.Repair,
        _ => kind,
    };

    /// <summary>
    /// The class of a read, by the kind byte of its first header; data when it is shorter than a header.
    /// </summary>
    public static PriorityClass PriorityOfRead(ReadOnlySpan<byte> read) =>
        read.Length >= DatagramHeader.Length
            ? PriorityOf((DatagramKind)(read[DatagramHeader.KindOffset] & ~IgnorableBit))
            : PriorityClass.Data;
}
