using static QuickSilver.Protocol.Wire.DatagramKind;

namespace QuickSilver.Protocol.Wire;

/// <summary>Properties of the kinds of datagrams: priority, source endpoint, lane of sealing, mode.</summary>
internal static class DatagramKinds
{
    /// <summary>
    /// Set in the kind byte of datagrams that a node which does not know the kind may drop without counting an error.
    /// </summary>
    public const byte IgnorableBit = 0x80;

    // A kind that has no row is data, is not checked for its source, and is never sealed.
    // A lateral repair is read in its turn with packets: it names packets that may lie behind it in the sockets, and
    // would seem to be missing.
    private static readonly Row[] Rows = Table(
    [
        new(DatagramKind.Token, PriorityClass.Token, DatagramSource.Control, SealLane.Member),
        new(TokenAck, PriorityClass.Token, DatagramSource.Control, SealLane.Member),
        new(Ack, PriorityClass.Token, DatagramSource.Control, SealLane.Feedback),
        new(Nak, PriorityClass.Request, DatagramSource.Control, SealLane.Feedback),
        new(Pull, PriorityClass.Request, DatagramSource.Control, SealLane.Member),
        new(Beacon, PriorityClass.Data, DatagramSource.Data, SealLane.Sender),
        new(Repair, PriorityClass.Repair, DatagramSource.Data, SealLane.Repair),
        new(Data, PriorityClass.Data, DatagramSource.Data, SealLane.Data),
        new(Note, PriorityClass.Data, DatagramSource.Data, SealLane.Sender),
        new(RepairNote, PriorityClass.Repair, DatagramSource.Data, SealLane.Repair),
        new(PathQuery, PriorityClass.Request, DatagramSource.Control, SealLane.Feedback),
        new(PathAnswer, PriorityClass.Request, DatagramSource.Control, SealLane.Path),
        new(PathFiller, PriorityClass.Data, DatagramSource.Data, SealLane.Path),
        new(RepairPart, PriorityClass.Repair, DatagramSource.Data, SealLane.Repair),
        new(CarrierProbe, PriorityClass.Data, DatagramSource.Data, SealLane.Sender),
        new(CarrierWord, PriorityClass.Request, DatagramSource.Control, SealLane.Feedback),
        new(Hybrid, PriorityClass.Data, DatagramSource.Data, SealLane.Hybrid),
        new(LateralData, PriorityClass.Data, DatagramSource.Data, SealLane.Mode, Mode: 1),
        new(LateralRepair, PriorityClass.Data, DatagramSource.Data, SealLane.Repair, Mode: 1),
        new(LateralNak, PriorityClass.Request, DatagramSource.Control, SealLane.Feedback, Mode: 1),
        new(LateralResend, PriorityClass.Repair, DatagramSource.Data, SealLane.Repair, Mode: 1),
        new(LateralSession, PriorityClass.Data, DatagramSource.Data, SealLane.Mode, Mode: 1),
        new(TimedData, PriorityClass.Data, DatagramSource.Data, SealLane.Mode, Mode: 2),
        new(TimedRepair, PriorityClass.Repair, DatagramSource.Data, SealLane.Repair, Mode: 2),
        new(TimedNak, PriorityClass.Repair, DatagramSource.Data, SealLane.Member, Mode: 2),
        new(TimedGone, PriorityClass.Repair, DatagramSource.Data, SealLane.Mode, Mode: 2),
        new(TimedStatus, PriorityClass.Data, DatagramSource.Data, SealLane.Mode, Mode: 2),
        new(TimedEcho, PriorityClass.Repair, DatagramSource.Data, SealLane.Feedback, Mode: 2),
        new(TimedAsk, PriorityClass.Repair, DatagramSource.Data, SealLane.Feedback, Mode: 2),
        new(OrderedData, PriorityClass.Data, DatagramSource.Data, SealLane.Mode, Mode: 4),
        new(OrderedRepair, PriorityClass.Repair, DatagramSource.Data, SealLane.Repair, Mode: 4),
        new(OrderedToken, PriorityClass.Token, DatagramSource.Control, SealLane.Feedback, Mode: 4),
        new(OrderedWord, PriorityClass.Token, DatagramSource.Control, SealLane.Feedback, Mode: 4),
        new(OrderedReport, PriorityClass.Repair, DatagramSource.Data, SealLane.Mode, Mode: 4),
        new(OrderedAsk, PriorityClass.Repair, DatagramSource.Data, SealLane.Feedback, Mode: 4),
        new(OrderedCall, PriorityClass.Request, DatagramSource.Control, SealLane.Feedback, Mode: 4),
    ]);

    /// <summary>The class in which a datagram is received.</summary>
    public static PriorityClass PriorityOf(DatagramKind kind) => Rows[(byte)kind].Priority;

    /// <summary>
    /// The endpoint of its sender that a kind comes from; for a repair from a peer, of that peer. A datagram from
    /// elsewhere is forged.
    /// </summary>
    public static DatagramSource SourceOf(DatagramKind kind) => Rows[(byte)kind].Source;

    /// <summary>
    /// The lane in which a kind is sealed: a sequence of counters with a key of its own. A kind that has none is never
    /// sealed, and dropped in a secured cluster.
    /// </summary>
    public static SealLane LaneOf(DatagramKind kind) => Rows[(byte)kind].Lane;

    /// <summary>
    /// The mode of groups that a kind belongs to: 1 lateral, 2 timed, 4 ordered; 0 for all other kinds, and for
    /// numbers that have no meaning yet.
    /// </summary>
    public static byte ModeOf(DatagramKind kind) => Rows[(byte)kind].Mode;

    /// <summary>True for kinds that use the control sockets, so that they never wait behind data.</summary>
    public static bool IsControl(DatagramKind kind) => PriorityOf(kind) <= PriorityClass.Request;

    /// <summary>
    /// True for members' feedback to one sender; its header names that sender in <see cref="DatagramHeader.Sequence"/>.
    /// </summary>
    public static bool IsFeedback(DatagramKind kind) => LaneOf(kind) == SealLane.Feedback;

    /// <summary>True for kinds whose body is a packet of a region's stream.</summary>
    public static bool CarriesPacket(DatagramKind kind) => kind is Data or Repair;

    /// <summary>True for kinds whose body has an optional checksum, separate from the header's.</summary>
    public static bool HasOwnChecksum(DatagramKind kind) => CarriesPacket(kind) || kind is OrderedData or OrderedRepair;

    /// <summary>True for kinds that name a packet's place in memory that sender and receivers share.</summary>
    public static bool IsNote(DatagramKind kind) => kind is Note or RepairNote;

    /// <summary>The kind of the packet that a datagram carries or names; for others the kind itself.</summary>
    public static DatagramKind PacketOf(DatagramKind kind) => kind switch
    {
        Note => Data,
        RepairNote => Repair,
        _ => kind,
    };

    /// <summary>
    /// The class of a read, by the kind byte of its first header; data when it is shorter than a header.
    /// </summary>
    public static PriorityClass PriorityOfRead(ReadOnlySpan<byte> read) =>
        read.Length >= DatagramHeader.Length
            ? PriorityOf((DatagramKind)(read[DatagramHeader.KindOffset] & ~IgnorableBit))
            : PriorityClass.Data;

    // One row for each value of a byte.
    private static Row[] Table(ReadOnlySpan<Row> rows)
    {
        var table = new Row[byte.MaxValue + 1];
        Array.Fill(table, new Row(None, PriorityClass.Data, DatagramSource.Anywhere, SealLane.None));
        foreach (Row row in rows) table[(byte)row.Kind] = row;
        return table;
    }

    private readonly record struct Row(
        DatagramKind Kind, PriorityClass Priority, DatagramSource Source, SealLane Lane, byte Mode = 0);
}
