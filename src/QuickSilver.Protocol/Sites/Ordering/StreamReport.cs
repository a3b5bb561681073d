using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>What one site has of another one's entries. Rises, and is told again and again.</summary>
/// <param name="Incarnation">The life of the other one's order that it takes entries of; 0: of none yet.</param>
/// <param name="Have">The last entry of that life that all members of its ring hold.</param>
/// <param name="Next">A newer life that it has heard of: it takes no more of the present one, but for what third sites
/// forward. 0: none.</param>
/// <param name="Before">The life before; 0: none.</param>
/// <param name="HadBefore">The last entry of that life.</param>
internal readonly record struct StreamReport(
    ulong Incarnation, ulong Have, ulong Next, ulong Before, ulong HadBefore)
{
    /// <summary>The longest form on the wire.</summary>
    public const int MaxLength = 5 * 10;

    /// <summary>True when another report of the same site is not newer.</summary>
    public bool Covers(in StreamReport other)
    {
        if (Incarnation != other.Incarnation) return Incarnation > other.Incarnation;
        return Next != other.Next ? Next > other.Next : Have >= other.Have;
    }

    /// <summary>Writes it.</summary>
    public void Write(ref WireWriter writer)
    {
        writer.WriteVarint(Incarnation);
        writer.WriteVarint(Have);
        writer.WriteVarint(Next);
        writer.WriteVarint(Before);
        writer.WriteVarint(HadBefore);
    }

    /// <summary>Reads one; what contradicts itself fails the reader.</summary>
    public static StreamReport Read(ref WireReader reader)
    {
        var report = new StreamReport(
            reader.ReadVarint(), reader.ReadVarint(), reader.ReadVarint(), reader.ReadVarint(), reader.ReadVarint());
        bool isSound = report.Incarnation > report.Before && (report.Next == 0 || report.Next > report.Incarnation);
        if (!isSound && report != default) reader.Fail();
        return report;
    }
}
