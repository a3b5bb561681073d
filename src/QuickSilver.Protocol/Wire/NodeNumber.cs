namespace QuickSilver.Protocol.Wire;

/// <summary>
/// The cluster-wide number of one node (address and incarnation), assigned by the membership server and never reused.
/// </summary>
/// <param name="Epoch">Epoch of the membership server that assigned the number.</param>
/// <param name="Counter">Counts from 1 within the epoch; 0 means "none".</param>
internal readonly record struct NodeNumber(Epoch Epoch, uint Counter) : IComparable<NodeNumber>
{
    /// <summary>True for the default value, which names nothing.</summary>
    public bool IsNone => Counter == 0;

    /// <summary>
    /// The form that datagram headers carry: the low half of the term, then the counter. Unique within a cluster
    /// instance.
    /// </summary>
    public ulong Key => (Epoch.Term << 32) | Counter;

    /// <summary>Epoch first, then counter: the order in which numbers were given.</summary>
    public int CompareTo(NodeNumber other)
    {
        int byEpoch = Epoch.CompareTo(other.Epoch);
        return byEpoch != 0 ? byEpoch : Counter.CompareTo(other.Counter);
    }

    /// <summary>True when <paramref name="left"/> was given earlier.</summary>
    public static bool operator <(NodeNumber left, NodeNumber right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> was given later.</summary>
    public static bool operator >(NodeNumber left, NodeNumber right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> was not given later.</summary>
    public static bool operator <=(NodeNumber left, NodeNumber right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> was not given earlier.</summary>
    public static bool operator >=(NodeNumber left, NodeNumber right) => left.CompareTo(right) >= 0;

    /// <inheritdoc/>
    public override string ToString() => $"{Epoch.Term}/{Counter}";
}
