using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>Who takes part, as a member that joins gets it.</summary>
internal sealed partial class SiteAgreement
{
    /// <summary>Bytes of it, at most.</summary>
    public int StateLength =>
        100 + (Told.Length * (1 + SiteState.LengthFor(Told.Length) + 20 + (2 * (OrderViewId.MaxLength + 10))))
        + (2 * OrderView.LengthFor(Told.Length));

    /// <summary>Writes it.</summary>
    public void Write(ref WireWriter writer)
    {
        Reach.Write(ref writer);
        OrderView.Write(ref writer, View);
        OrderView.Write(ref writer, Joined);
        writer.WriteByte((byte)((IsReady ? 1 : 0) | (Ending is not null ? 2 : 0) | (Ending?.Limits is not null ? 4 : 0)
            | (Ending is { IsBehind: true } ? 8 : 0)));
        Accepted.Write(ref writer);
        writer.WriteVarint(Had);
        writer.WriteVarint(Version);
        foreach (ulong limit in Limits) writer.WriteVarint(limit);
        WritePast(ref writer, Past);
        if (Ending is not null)
        {
            writer.WriteVarint(Ending.Had);
            Ending.Together.Write(ref writer);
            foreach (ulong limit in Ending.Limits ?? []) writer.WriteVarint(limit);
            WritePast(ref writer, Ending.Past);
        }
        foreach (SiteState? told in Told)
        {
            writer.WriteByte(told is null ? (byte)0 : (byte)1);
            told?.Write(ref writer);
        }
    }

    /// <summary>Takes over what <see cref="Write"/> wrote; false when it is malformed.</summary>
    public bool Restore(ref WireReader reader)
    {
        int count = Told.Length;
        Reach = SiteSet.Read(ref reader);
        View = OrderView.Read(ref reader, count);
        Joined = OrderView.Read(ref reader, count);
        byte flags = reader.ReadByte();
        Accepted = OrderViewId.Read(ref reader);
        (Had, Version) = (reader.ReadVarint(), reader.ReadVarint());
        if (reader.Failed || flags > 15) return false;
        Limits = Accepted.IsNone ? [] : ReadNumbers(ref reader);
        Past = ReadPast(ref reader);
        IsReady = (flags & 1) != 0;
        if ((flags & 2) != 0)
        {
            ulong had = reader.ReadVarint();
            SiteSet together = SiteSet.Read(ref reader);
            ulong[]? limits = (flags & 4) != 0 ? ReadNumbers(ref reader) : null;
            Ending = new ViewEnding(limits, had, ReadPast(ref reader), together, (flags & 8) != 0);
        }
        for (int site = 0; site < count && !reader.Failed; site++)
        {
            byte isThere = reader.ReadByte();
            if (isThere > 1) return false;
            if (isThere == 0) continue;
            Told[site] = SiteState.Read(ref reader);
            if (Told[site] is not { } told || told.Have.Length != count) return false;
        }
        return !reader.Failed;
    }

    private static void WritePast(ref WireWriter writer, StreamEnd[] past)
    {
        foreach (StreamEnd end in past)
        {
            end.View.Write(ref writer);
            writer.WriteVarint(end.Number);
        }
    }

    private ulong[] ReadNumbers(ref WireReader reader)
    {
        var numbers = new ulong[Told.Length];
        for (int site = 0; site < numbers.Length; site++) numbers[site] = reader.ReadVarint();
        return numbers;
    }

    private StreamEnd[] ReadPast(ref WireReader reader)
    {
        var past = new StreamEnd[Told.Length];
        for (int site = 0; site < past.Length; site++)
            past[site] = new StreamEnd(OrderViewId.Read(ref reader), reader.ReadVarint());
        return past;
    }
}
