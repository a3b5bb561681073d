using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The answer to a registration that is accepted.
/// <code>
/// kind       byte
/// term       varint   the epoch of everything the server numbers in this session, but for groups
/// server     u64
/// instance   u64      the cluster instance that datagrams carry
/// term       varint   the epoch of the node's number: older than the server's, for a node that was inherited
/// server     u64
/// node       varint   counter of the node's number
/// term       varint   the epoch of all group ids: that of the first server of the cluster instance
/// server     u64
/// step       varint   the last step made before the node registered; the node's first is the next
/// received   varint   numbered frames that the server has taken in the session
/// resumed    byte     1: the session goes on where it broke; 0: it is new
/// secret     16 bytes, random: the node proves with them that it is the one that was welcomed. They are in no other frame of a server
/// </code>
/// </summary>
/// <param name="Epoch">The server's epoch.</param>
/// <param name="Number">The node's number.</param>
/// <param name="GroupEpoch">The epoch of all group ids.</param>
/// <param name="Instance">The cluster instance.</param>
/// <param name="Step">Counter of the last step made before the node registered.</param>
/// <param name="Received">Numbered frames that the server has taken.</param>
/// <param name="Resumed">The session goes on.</param>
/// <param name="Secret">Proves, when the node returns, that it is the one that was welcomed.</param>
internal readonly record struct WelcomeFrame(
    Epoch Epoch, NodeNumber Number, Epoch GroupEpoch, ulong Instance, ulong Step, ulong Received, bool Resumed, UInt128 Secret)
{
    /// <summary>Writes the frame.</summary>
    public void WriteTo(FrameBuilder frame)
    {
        frame.Begin(FrameKind.Welcome).WriteEpoch(Epoch).WriteUInt64(Instance).WriteEpoch(Number.Epoch).WriteVarint(Number.Counter);
        frame.WriteEpoch(GroupEpoch).WriteVarint(Step).WriteVarint(Received).WriteByte(Resumed ? (byte)1 : (byte)0);
        frame.WriteSecret(Secret);
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
        welcome = new WelcomeFrame(epoch, number, groupEpoch, instance, step, received, resumed == 1, secret);
        return reader.IsAtEnd && resumed <= 1;
    }
}
