using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The answer to a registration that is accepted.
/// <code>
/// kind       byte
/// term       varint   the epoch of everything the server numbers in this session
/// server     u64
/// instance   u64      the cluster instance that datagrams carry
/// node       varint   counter of the node's number
/// step       varint   the last step made before the node registered; the node's first is the next
/// received   varint   numbered frames that the server has taken in the session
/// resumed    byte     1: the session goes on where it broke; 0: it is new
/// </code>
/// </summary>
/// <param name="Number">The node's number.</param>
/// <param name="Instance">The cluster instance.</param>
/// <param name="Step">Counter of the last step made before the node registered.</param>
/// <param name="Received">Numbered frames that the server has taken.</param>
/// <param name="Resumed">The session goes on.</param>
internal readonly record struct WelcomeFrame(NodeNumber Number, ulong Instance, ulong Step, ulong Received, bool Resumed)
{
    /// <summary>Writes the frame.</summary>
    public void WriteTo(FrameBuilder frame)
    {
        frame.Begin(FrameKind.Welcome).WriteVarint(Number.Epoch.Term).WriteUInt64(Number.Epoch.Server).WriteUInt64(Instance);
        frame.WriteVarint(Number.Counter).WriteVarint(Step).WriteVarint(Received).WriteByte(Resumed ? (byte)1 : (byte)0);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ref WireReader reader, out WelcomeFrame welcome)
    {
        var epoch = new Epoch(reader.ReadVarint(), reader.ReadUInt64());
        ulong instance = reader.ReadUInt64();
        var number = new NodeNumber(epoch, FrameFields.ReadCounter(ref reader));
        ulong step = reader.ReadVarint();
        ulong received = reader.ReadVarint();
        byte resumed = reader.ReadByte();
        welcome = new WelcomeFrame(number, instance, step, received, resumed == 1);
        return reader.IsAtEnd && resumed <= 1;
    }
}
