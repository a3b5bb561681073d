using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The answer to a registration that is accepted.
/// <code>
/// kind       byte
/// term       varint   the epoch of all numbers of the server in this session, except group ids
/// server     u64
/// instance   u64      the cluster instance that datagrams carry
/// term       varint   the epoch of the node's number: older than the server's for an inherited node
/// server     u64
/// node       varint   counter of the node's number
/// term       varint   the epoch of all group ids: that of the first server of the cluster instance
/// server     u64
/// step       varint   the last step made before the node registered; the node's first is the next
/// received   varint   numbered frames that the server has received in the session
/// resumed    byte     1: the session continues; 0: it is new
/// secret     16 bytes, random: the node proves with them that its number is its own. No other frame has them
/// identity   text     the identity that the node's certificate proves; empty where none is proven
/// </code>
/// </summary>
/// <param name="Epoch">The server's epoch.</param>
/// <param name="Number">The node's number.</param>
/// <param name="GroupEpoch">The epoch of all group ids.</param>
/// <param name="Instance">The cluster instance.</param>
/// <param name="Step">Counter of the last step made before the node registered.</param>
/// <param name="Received">Numbered frames that the server has received.</param>
/// <param name="Resumed">True when the session continues.</param>
/// <param name="Secret">Proves the node's number when it returns.</param>
/// <param name="Identity">The identity that the node's certificate proves; empty where none is proven.</param>
internal readonly record struct WelcomeFrame(
    Epoch Epoch,
    NodeNumber Number,
    Epoch GroupEpoch,
    ulong Instance,
    ulong Step,
    ulong Received,
    bool Resumed,
    UInt128 Secret,
    string Identity = "")
{
    /// <summary>Writes the frame.</summary>
    public void WriteTo(FrameBuilder frame)
    {
        frame.Begin(FrameKind.Welcome).WriteEpoch(Epoch).WriteUInt64(Instance);
        frame.WriteEpoch(Number.Epoch).WriteVarint(Number.Counter).WriteEpoch(GroupEpoch);
        frame.WriteVarint(Step).WriteVarint(Received).WriteByte(Resumed ? (byte)1 : (byte)0);
        frame.WriteSecret(Secret).WriteText(Identity);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ref WireReader reader, out WelcomeFrame welcome)
    {
        Epoch epoch = FrameFields.ReadEpoch(ref reader);
        ulong instance = reader.ReadUInt64();
        var number = new NodeNumber(FrameFields.ReadEpoch(ref reader), FrameFields.ReadCounter(ref reader));
        Epoch groupEpoch = FrameFields.ReadEpoch(ref reader);
        ulong step = reader.ReadVarint();
        ulong received = reader.ReadVarint();
        byte resumed = reader.ReadByte();
        UInt128 secret = FrameFields.ReadSecret(ref reader);
        string identity = FrameFields.ReadName(ref reader);
        welcome = new WelcomeFrame(epoch, number, groupEpoch, instance, step, received, resumed == 1, secret, identity);
        return reader.IsAtEnd && resumed <= 1;
    }
}
