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
/// </code>
/// </summary>
internal static class GroupFrame
{
    private const int ShortestEntry = 4;

    /// <summary>Writes one description.</summary>
    public static void WriteEntry(FrameBuilder frame, uint counter, byte mode, string name) =>
        frame.WriteVarint(counter).WriteByte(mode).WriteText(name);

    /// <summary>Reads a body, of groups numbered in <paramref name="epoch"/>; null when it is malformed.</summary>
    public static List<GroupInfo>? TryRead(ref WireReader reader, Epoch epoch)
    {
        int count = FrameFields.ReadCount(ref reader, ShortestEntry);
        var groups = new List<GroupInfo>(count);
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            var id = new GroupId(epoch, FrameFields.ReadCounter(ref reader));
            byte mode = reader.ReadByte();
            string name = FrameFields.ReadName(ref reader);
            if (name.Length == 0) reader.Fail();
            groups.Add(new GroupInfo(id, name, mode));
        }
        return reader.IsAtEnd ? groups : null;
    }
}
