namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.LateralSession"/>: the numbers of its sender's last messages in lateral groups.
/// <code>
/// count       varint   1 to 64
/// each, by rising group:
///   group     varint   difference to the one before
///   number    varint   number of the last message, from 1
/// </code>
/// </summary>
internal static class LateralSessionBody
{
    /// <summary>Limit on the groups in one report.</summary>
    public const int MaxGroups = 64;

    /// <summary>The longest body.</summary>
    public const int MaxLength = 1 + (MaxGroups * 15);

    /// <summary>Writes a body.</summary>
    public static void Write(ref WireWriter writer, scoped ReadOnlySpan<(uint Group, ulong Number)> last)
    {
        writer.WriteVarint((ulong)last.Length);
        uint group = 0;
        foreach ((uint Group, ulong Number) entry in last)
        {
            writer.WriteVarint(entry.Group - group);
            writer.WriteVarint(entry.Number);
            group = entry.Group;
        }
    }

    /// <summary>Reads a body.</summary>
    /// <param name="body">The body.</param>
    /// <param name="last">Receives the entries; room for <see cref="MaxGroups"/>.</param>
    /// <returns>How many there are; 0 when it is malformed.</returns>
    public static int TryRead(ReadOnlySpan<byte> body, Span<(uint Group, ulong Number)> last)
    {
        var reader = new WireReader(body);
        int count = (int)reader.ReadVarint(MaxGroups);
        ulong group = 0;
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            ulong more = reader.ReadVarint(uint.MaxValue);
            ulong number = reader.ReadVarint();
            group += more;
            if (more == 0 || group > uint.MaxValue || number == 0) reader.Fail();
            last[index] = ((uint)group, number);
        }
        return reader.IsAtEnd ? count : 0;
    }
}
