using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The nodes for which a node's joins wait.
/// <code>
/// kind      byte
/// stage     byte     a <see cref="JoinStage"/>
/// total     varint   number of nodes
/// names     varint   number of names that follow, at most 8
/// each:
///   name      text     at most 512 bytes: a node's name and its number
/// </code>
/// </summary>
internal static class WaitingFrame
{
    private const int MaxNameBytes = 512;

    /// <summary>Writes the frame.</summary>
    public static void Write(FrameBuilder frame, JoinWait wait)
    {
        frame.Begin(FrameKind.Waiting).WriteByte((byte)wait.Stage).WriteVarint((ulong)wait.Total);
        frame.WriteVarint((ulong)wait.Names.Count);
        foreach (string name in wait.Names) frame.WriteText(name);
    }

    /// <summary>Reads a body; null when it is malformed.</summary>
    public static JoinWait? TryRead(ref WireReader reader)
    {
        var stage = (JoinStage)reader.ReadByte();
        int total = (int)reader.ReadVarint(int.MaxValue);
        string[] names = new string[(int)reader.ReadVarint(JoinWait.MaxNames)];
        for (int index = 0; index < names.Length; index++)
            names[index] = FrameFields.ReadName(ref reader, MaxNameBytes);
        bool isGood = reader.IsAtEnd && Enum.IsDefined(stage) && total >= names.Length;
        return isGood ? new JoinWait(stage, total, names) : null;
    }
}
