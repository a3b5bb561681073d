namespace QuickSilver.Protocol.Wire;

/// <summary>The number of a named group, assigned by the membership server when the name is first used.</summary>
/// <param name="Epoch">Epoch of the membership server that assigned the number.</param>
/// <param name="Counter">Counts from 1 within the epoch; 0 means "none".</param>
internal readonly record struct GroupId(Epoch Epoch, uint Counter) : IComparable<GroupId>
{
    /// <summary>True for the default value, which names nothing.</summary>
    public bool IsNone => Counter == 0;

    /// <summary>Epoch first, then counter: the order in which numbers were given.</summary>
    public int CompareTo(GroupId other)
    {
        int byEpoch = Epoch.CompareTo(other.Epoch);
        return byEpoch != 0 ? byEpoch : Counter.CompareTo(other.Counter);
    }

    /// <summary>True when <paramref name="left"/> was given earlier.</summary>
    public static bool operator <(GroupId left, GroupId right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> was given later.</summary>
    public static bool operator >(GroupId left, GroupId right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> was not given later.</summary>
    public static bool operator <=(GroupId left, GroupId right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> was not given earlier.</summary>
    public static bool operator >=(GroupId left, GroupId right) => left.CompareTo(right) >= 0;

    /// <inheritdoc/>
    public override string ToString() => $"{Epoch.Term}/{Counter}";
}
