namespace QuickSilver.Protocol.Core;

/// <summary>
/// A point on a monotonic clock, in ticks of 100 ns since an origin of the host's choice. Only differences are
/// meaningful. Distinct from a duration, which is a <see cref="TimeSpan"/>.
/// </summary>
/// <param name="Ticks">Ticks of 100 ns since the host's origin.</param>
internal readonly record struct Instant(long Ticks) : IComparable<Instant>
{
    /// <summary>Later than any instant a clock gives; an alarm set there never fires.</summary>
    public static readonly Instant Never = new(long.MaxValue);

    /// <summary>The host's origin; also "never happened" where a record keeps when something last happened.</summary>
    public static readonly Instant Zero;

    /// <inheritdoc/>
    public int CompareTo(Instant other) => Ticks.CompareTo(other.Ticks);

    /// <summary>The instant a duration later; saturates at <see cref="Never"/>.</summary>
    public static Instant operator +(Instant instant, TimeSpan duration)
    {
        long sum = instant.Ticks + duration.Ticks;
        return sum < instant.Ticks && duration.Ticks > 0 ? Never : new Instant(sum);
    }

    /// <summary>The instant a duration earlier.</summary>
    public static Instant operator -(Instant instant, TimeSpan duration) => new(instant.Ticks - duration.Ticks);

    /// <summary>The time from <paramref name="right"/> to <paramref name="left"/>.</summary>
    public static TimeSpan operator -(Instant left, Instant right) => new(left.Ticks - right.Ticks);

    /// <summary>True when <paramref name="left"/> is earlier.</summary>
    public static bool operator <(Instant left, Instant right) => left.Ticks < right.Ticks;

    /// <summary>True when <paramref name="left"/> is later.</summary>
    public static bool operator >(Instant left, Instant right) => left.Ticks > right.Ticks;

    /// <summary>True when <paramref name="left"/> is not later.</summary>
    public static bool operator <=(Instant left, Instant right) => left.Ticks <= right.Ticks;

    /// <summary>True when <paramref name="left"/> is not earlier.</summary>
    public static bool operator >=(Instant left, Instant right) => left.Ticks >= right.Ticks;

    /// <inheritdoc/>
    public override string ToString() => this == Never ? "never" : new TimeSpan(Ticks).ToString("c", null);
}
