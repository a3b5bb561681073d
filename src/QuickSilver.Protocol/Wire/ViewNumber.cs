namespace QuickSilver.Protocol.Wire;

/// <summary>The cluster-wide number of one region view. It rises within a region, and is never reused.</summary>
/// <param name="Epoch">Epoch of the membership server that assigned the number.</param>
/// <param name="Counter">Counts from 1 within the epoch; 0 means "none".</param>
internal readonly record struct ViewNumber(Epoch Epoch, uint Counter) : IComparable<ViewNumber>
{
    /// <summary>True for the default value, which names nothing.</summary>
    public bool IsNone => Counter == 0;

    /// <summary>
    /// The 32-bit tag that datagram headers carry in addition to the counter: a mix of the whole number, which
    /// distinguishes views of two servers with one term and counter.
    /// </summary>
    public uint Tag
    {
        get
        {
            ulong mix = Epoch.Term * 0x9E3779B97F4A7C15UL;
            mix ^= (Epoch.Server * 0xC2B2AE3D27D4EB4FUL) ^ (Counter * 0x165667B19E3779F9UL);
            mix ^= mix >> 29;
            mix *= 0xBF58476D1CE4E5B9UL;
            return (uint)(mix >> 32);
        }
    }

    /// <summary>Epoch first, then counter: the order in which numbers were given.</summary>
    public int CompareTo(ViewNumber other)
    {
        int byEpoch = Epoch.CompareTo(other.Epoch);
        return byEpoch != 0 ? byEpoch : Counter.CompareTo(other.Counter);
    }

    /// <summary>True when <paramref name="left"/> was given earlier.</summary>
    public static bool operator <(ViewNumber left, ViewNumber right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> was given later.</summary>
    public static bool operator >(ViewNumber left, ViewNumber right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> was not given later.</summary>
    public static bool operator <=(ViewNumber left, ViewNumber right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> was not given earlier.</summary>
    public static bool operator >=(ViewNumber left, ViewNumber right) => left.CompareTo(right) >= 0;

    /// <inheritdoc/>
    public override string ToString() => $"{Epoch.Term}/{Counter}";
}
