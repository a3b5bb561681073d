namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The number of a region: all nodes with the same set of groups. The set never changes under one number.
/// </summary>
/// <param name="Epoch">Epoch of the membership server that assigned the number.</param>
/// <param name="Counter">Counts from 1 within the epoch; 0 means "none".</param>
internal readonly record struct RegionId(Epoch Epoch, uint Counter) : IComparable<RegionId>
{
    /// <summary>True for the default value, which names nothing.</summary>
    public bool IsNone => Counter == 0;

    /// <summary>Epoch first, then counter: the order in which numbers were given.</summary>
    public int CompareTo(RegionId other)
    {
        int byEpoch = Epoch.CompareTo(other.Epoch);
        return byEpoch != 0 ? byEpoch : Counter.CompareTo(other.Counter);
    }

    /// <summary>True when <paramref name="left"/> was given earlier.</summary>
    public static bool operator <(RegionId left, RegionId right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> was given later.</summary>
    public static bool operator >(RegionId left, RegionId right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> was not given later.</summary>
    public static bool operator <=(RegionId left, RegionId right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> was not given earlier.</summary>
    public static bool operator >=(RegionId left, RegionId right) => left.CompareTo(right) >= 0;

    /// <inheritdoc/>
    public override string ToString() => $"{Epoch.Term}/{Counter}";
}
