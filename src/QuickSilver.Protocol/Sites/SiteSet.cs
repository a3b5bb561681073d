using System.Numerics;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites;

/// <summary>
/// Some of the sites of a configuration, by their indices: a bit for each. On the wire it has as many bytes as its
/// highest site needs, behind a byte with their count. A value; allocates nothing.
/// </summary>
/// <param name="Low">Sites 0 to 63.</param>
/// <param name="High">Sites 64 to 127.</param>
internal readonly record struct SiteSet(ulong Low, ulong High)
{
    /// <summary>The most sites of a configuration.</summary>
    public const int MostSites = 128;

    /// <summary>The longest form on the wire.</summary>
    public const int MaxLength = 1 + (MostSites / 8);

    private const int Half = 64;

    /// <summary>True when no site is in it.</summary>
    public bool IsEmpty => (Low | High) == 0;

    /// <summary>How many sites are in it.</summary>
    public int Count => BitOperations.PopCount(Low) + BitOperations.PopCount(High);

    /// <summary>The lowest site in it; <see cref="MostSites"/> when it is empty.</summary>
    public int First => Low != 0 ? BitOperations.TrailingZeroCount(Low) : Half + BitOperations.TrailingZeroCount(High);

    /// <summary>One site.</summary>
    public static SiteSet Of(int site) => site < Half ? new(1UL << site, 0) : new(0, 1UL << (site - Half));

    /// <summary>True when a site is in it.</summary>
    public bool Contains(int site) => ((site < Half ? Low >> site : High >> (site - Half)) & 1) != 0;

    /// <summary>This and one more.</summary>
    public SiteSet With(int site) => this | Of(site);

    /// <summary>This without one.</summary>
    public SiteSet Without(int site) => Except(Of(site));

    /// <summary>This without those of another.</summary>
    public SiteSet Except(SiteSet other) => new(Low & ~other.Low, High & ~other.High);

    /// <summary>The sites of either.</summary>
    public static SiteSet operator |(SiteSet left, SiteSet right) => new(left.Low | right.Low, left.High | right.High);

    /// <summary>The sites of both.</summary>
    public static SiteSet operator &(SiteSet left, SiteSet right) => new(left.Low & right.Low, left.High & right.High);

    /// <summary>Writes it.</summary>
    public void Write(ref WireWriter writer)
    {
        int bits = High != 0 ? 128 - BitOperations.LeadingZeroCount(High) : Half - BitOperations.LeadingZeroCount(Low);
        int bytes = (bits + 7) / 8;
        writer.WriteByte((byte)bytes);
        for (int index = 0; index < bytes; index++) writer.WriteByte(ByteAt(index));
    }

    /// <summary>Reads one; a count above sixteen, or a last byte of zero, fails the reader.</summary>
    public static SiteSet Read(ref WireReader reader)
    {
        int bytes = reader.ReadByte();
        if (bytes > MostSites / 8)
        {
            reader.Fail();
            return default;
        }
        ulong low = 0, high = 0;
        byte last = 1;
        for (int index = 0; index < bytes; index++)
        {
            last = reader.ReadByte();
            if (index < 8) low |= (ulong)last << (8 * index);
            else high |= (ulong)last << (8 * (index - 8));
        }
        if (last == 0) reader.Fail();
        return reader.Failed ? default : new SiteSet(low, high);
    }

    private byte ByteAt(int index) => (byte)(index < 8 ? Low >> (8 * index) : High >> (8 * (index - 8)));
}
