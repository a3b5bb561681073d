namespace QuickSilver.Protocol.Wire;

/// <summary>Why a piece of remote input was dropped. Each has a counter; none is an exception.</summary>
internal enum RejectReason : byte
{
    /// <summary>Not rejected.</summary>
    None = 0,

    /// <summary>Shorter than a header.</summary>
    TooShort,

    /// <summary>Another product on the port.</summary>
    WrongMagic,

    /// <summary>A version that this node does not support.</summary>
    WrongVersion,

    /// <summary>The header's length does not fit the read.</summary>
    WrongLength,

    /// <summary>The header's or a control body's checksum does not match.</summary>
    HeaderChecksum,

    /// <summary>The packet's checksum does not match.</summary>
    PayloadChecksum,

    /// <summary>Another cluster.</summary>
    WrongCluster,

    /// <summary>A kind that this node does not know and may not ignore.</summary>
    UnknownKind,

    /// <summary>A kind that does not belong on the socket it came by.</summary>
    WrongSocket,

    /// <summary>Its source address or port is not its sender's: forged, or changed by the network.</summary>
    WrongSource,

    /// <summary>No such region view here.</summary>
    UnknownView,

    /// <summary>The sender may not send here, or the member is not in the view.</summary>
    UnknownSender,

    /// <summary>The node named as sender or member has been removed from the cluster.</summary>
    RemovedSender,

    /// <summary>
    /// A body that breaks its format: overrun, count above its cap, varint not canonical, ranges out of order.
    /// </summary>
    Malformed,

    /// <summary>A sequence beyond what the sender can have sent.</summary>
    BeyondWindow,

    /// <summary>An acknowledgement or request that names a sequence never sent.</summary>
    NeverSent,

    /// <summary>A fragment that contradicts the others of its message.</summary>
    BadFragment,

    /// <summary>A piece of a long message that breaks its format, or contradicts the pieces before it.</summary>
    BadPiece,

    /// <summary>No room: a buffer's cap in bytes or count was reached.</summary>
    NoRoom,

    /// <summary>A note of a packet that is gone, or lies in memory that this node has not opened.</summary>
    NotThere,

    /// <summary>Sealed, and this node has no keys of its view or writer.</summary>
    NoKey,

    /// <summary>Sealed, and the gate is wrong: from outside the view, or damaged.</summary>
    Gate,

    /// <summary>Sealed, and the tag is wrong: forged by one that knows the gate's key, or damaged.</summary>
    BadTag,

    /// <summary>Sealed, and read before, or too old to tell.</summary>
    Replayed,

    /// <summary>Sealed by a writer that may not write what it is, or in a lane that its kind does not have.</summary>
    NotAllowed,

    /// <summary>Dropped by the fault injector (tests only).</summary>
    Injected,
}
