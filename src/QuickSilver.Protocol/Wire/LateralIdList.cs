namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A list of packets of lateral groups, rising and without duplicates, so that there is one way to write it.
/// <code>
/// count       varint   1 to 64
/// each:
///   sender    varint   difference to the one before
///   group     varint   difference to the one before if the sender is the same, else the counter
///   number    varint   difference to the one before if sender and group are the same, else the number
///   fragment  varint   0: the whole message; else from 1
/// </code>
/// </summary>
internal static class LateralIdList
{
    /// <summary>Limit on the ids in one list.</summary>
    public const int MaxIds = 64;

    /// <summary>The longest that one id can be.</summary>
    public const int MaxIdLength = 10 + 5 + 10 + 3;

    /// <summary>Writes a list.</summary>
    /// <param name="writer">Receives it.</param>
    /// <param name="ids">The ids, rising.</param>
    public static void Write(ref WireWriter writer, scoped ReadOnlySpan<LateralId> ids)
    {
        writer.WriteVarint((ulong)ids.Length);
        LateralId last = default;
        foreach (LateralId id in ids)
        {
            Write(ref writer, last, id);
            last = id;
        }
    }

    /// <summary>Bytes of an id in a list.</summary>
    /// <param name="last">The one before; <c>default</c> for the first.</param>
    /// <param name="id">The id.</param>
    internal static int LengthOf(in LateralId last, in LateralId id)
    {
        bool isSameSender = last.Sender == id.Sender;
        bool isSameGroup = isSameSender && last.Group == id.Group;
        return WireWriter.VarintLength(id.Sender - last.Sender)
            + WireWriter.VarintLength(isSameSender ? id.Group - last.Group : id.Group)
            + WireWriter.VarintLength(isSameGroup ? id.Number - last.Number : id.Number)
            + WireWriter.VarintLength(id.Fragment);
    }

    /// <summary>Reads a list.</summary>
    /// <param name="reader">Where it begins; fails when the list is malformed.</param>
    /// <param name="ids">Receives the ids; room for <see cref="MaxIds"/>.</param>
    /// <returns>How many there are; 0 when it is malformed.</returns>
    public static int Read(ref WireReader reader, scoped Span<LateralId> ids)
    {
        ulong count = reader.ReadVarint(MaxIds);
        LateralId last = default;
        for (int index = 0; index < (int)count && !reader.Failed; index++)
        {
            ulong sender = last.Sender + reader.ReadVarint();
            bool isSameSender = index > 0 && sender == last.Sender;
            ulong group = reader.ReadVarint(uint.MaxValue) + (isSameSender ? last.Group : 0UL);
            bool isSameGroup = isSameSender && group == last.Group;
            ulong number = reader.ReadVarint() + (isSameGroup ? last.Number : 0UL);
            ulong fragment = reader.ReadVarint(LateralId.MaxFragments);
            var id = new LateralId(sender, (uint)group, number, (uint)fragment);
            if (group > uint.MaxValue || !id.IsValid || (index > 0 && id.CompareTo(last) <= 0)) reader.Fail();
            ids[index] = last = id;
        }
        if (count == 0) reader.Fail();
        return reader.Failed ? 0 : (int)count;
    }

    private static void Write(ref WireWriter writer, in LateralId last, in LateralId id)
    {
        bool isSameSender = last.Sender == id.Sender;
        bool isSameGroup = isSameSender && last.Group == id.Group;
        writer.WriteVarint(id.Sender - last.Sender);
        writer.WriteVarint(isSameSender ? id.Group - last.Group : id.Group);
        writer.WriteVarint(isSameGroup ? id.Number - last.Number : id.Number);
        writer.WriteVarint(id.Fragment);
    }
}
