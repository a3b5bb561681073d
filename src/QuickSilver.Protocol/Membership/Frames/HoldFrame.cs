using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The server's hold, or its end.
/// <code>
/// kind      byte
/// reason    byte     a <see cref="HoldReason"/>
/// missing   varint   members that the server waits for
/// present   varint   members that are present
/// names     varint   names of the missing that follow, at most 8
/// each:
///   name      text     at most 512 bytes
/// </code>
/// </summary>
internal static class HoldFrame
{
    /// <summary>Longest name, in bytes of UTF-8: that of a node and its address.</summary>
    public const int MaxNameBytes = 512;

    /// <summary>Writes the frame.</summary>
    public static void Write(FrameBuilder frame, MembershipHold hold)
    {
        frame.Begin(FrameKind.Hold).WriteByte((byte)hold.Reason);
        frame.WriteVarint((ulong)hold.Missing).WriteVarint((ulong)hold.Present);
        frame.WriteVarint((ulong)hold.Names.Count);
        foreach (string name in hold.Names) frame.WriteText(name);
    }

    /// <summary>Reads a body; null when it is malformed.</summary>
    public static MembershipHold? TryRead(ref WireReader reader)
    {
        var reason = (HoldReason)reader.ReadByte();
        int missing = (int)reader.ReadVarint(int.MaxValue);
        int present = (int)reader.ReadVarint(int.MaxValue);
        string[] names = new string[(int)reader.ReadVarint(JoinWait.MaxNames)];
        for (int index = 0; index < names.Length; index++)
            names[index] = FrameFields.ReadName(ref reader, MaxNameBytes);
        bool isGood = reader.IsAtEnd && Enum.IsDefined(reason) && missing >= names.Length;
        return isGood ? new MembershipHold(reason, missing, present, names) : null;
    }
}
