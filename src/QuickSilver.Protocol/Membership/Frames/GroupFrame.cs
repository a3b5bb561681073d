using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The fixed properties of groups that the receiver joins with the next step.
/// <code>
/// kind      byte
/// groups    varint   how many
/// each:
///   counter   varint
///   mode      byte
///   name      text     1-255 bytes
///   [hybrid]  endpoint the group's multicast address; none: 0, 0
/// </code>
/// </summary>
internal static class GroupFrame
{
    private const int ShortestEntry = 4;

    /// <summary>Writes one description.</summary>
    public static void WriteEntry(FrameBuilder frame, uint counter, byte mode, string name, NetEndpoint address)
    {
        frame.WriteVarint(counter).WriteByte(mode).WriteText(name);
        if (GroupModes.IsHybrid(mode)) frame.WriteEndpoint(address);
    }

    /// <summary>
    /// Reads one description. A hybrid group's address must be a multicast address: members send to it.
    /// </summary>
    public static GroupInfo ReadEntry(ref WireReader reader, Epoch epoch)
    {
        var id = new GroupId(epoch, FrameFields.ReadCounter(ref reader));
        byte mode = reader.ReadByte();
        string name = FrameFields.ReadName(ref reader);
        if (name.Length == 0) reader.Fail();
        NetEndpoint address = default;
        if (GroupModes.IsHybrid(mode)) address = FrameFields.ReadEndpoint(ref reader);
        if (!address.IsNone && (!address.IsMulticast || address.Port == 0)) reader.Fail();
        return new GroupInfo(id, name, mode, address);
    }

    /// <summary>Reads a body, of groups numbered in <paramref name="epoch"/>; null when it is malformed.</summary>
    public static List<GroupInfo>? TryRead(ref WireReader reader, Epoch epoch)
    {
        int count = FrameFields.ReadCount(ref reader, ShortestEntry);
        var groups = new List<GroupInfo>(count);
        for (int index = 0; index < count && !reader.Failed; index++) groups.Add(ReadEntry(ref reader, epoch));
        return reader.IsAtEnd ? groups : null;
    }
}
