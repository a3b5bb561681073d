namespace QuickSilver.Protocol.Wire;

/// <summary>
/// One numbered change of membership: all region and group views of one batch. Steps are installed in order, none
/// skipped.
/// </summary>
/// <param name="Epoch">Epoch of the membership server that assigned the number.</param>
/// <param name="Counter">Counts from 1 within the epoch; 0 means "none".</param>
internal readonly record struct StepNumber(Epoch Epoch, ulong Counter) : IComparable<StepNumber>
{
    /// <summary>True for the default value, which names nothing.</summary>
    public bool IsNone => Counter == 0;

    /// <summary>Epoch first, then counter: the order in which numbers were given.</summary>
    public int CompareTo(StepNumber other)
    {
        int byEpoch = Epoch.CompareTo(other.Epoch);
        return byEpoch != 0 ? byEpoch : Counter.CompareTo(other.Counter);
    }

    /// <summary>True when <paramref name="left"/> was given earlier.</summary>
    public static bool operator <(StepNumber left, StepNumber right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> was given later.</summary>
    public static bool operator >(StepNumber left, StepNumber right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> was not given later.</summary>
    public static bool operator <=(StepNumber left, StepNumber right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> was not given earlier.</summary>
    public static bool operator >=(StepNumber left, StepNumber right) => left.CompareTo(right) >= 0;

    /// <inheritdoc/>
    public override string ToString() => $"{Epoch.Term}/{Counter}";
}
