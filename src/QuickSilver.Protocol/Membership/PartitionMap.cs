namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The division of a region view of m members into k = max(1, m / r) partitions. Member i belongs to partition i mod k,
/// at position i div k. Packet s is cached by partition (s - 1) mod k. The floor makes partitions of r to 2r - 1
/// members. Source: first paper, section 2.2.
/// </summary>
internal sealed class PartitionMap
{
    /// <summary>Makes the map.</summary>
    /// <param name="members">Number of members of the view; at least 1.</param>
    /// <param name="replication">The replication factor r: the minimum number of members that cache a packet (5 in the
    /// papers).</param>
    public PartitionMap(int members, int replication)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(members, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(replication, 1);
        Members = members;
        Replication = replication;
        Count = Math.Max(1, members / replication);
    }

    /// <summary>Number of members of the view.</summary>
    public int Members { get; }

    /// <summary>The replication factor.</summary>
    public int Replication { get; }

    /// <summary>Number of partitions of the view.</summary>
    public int Count { get; }

    /// <summary>The partition that caches a packet.</summary>
    public int OfSequence(ulong sequence) => (int)((sequence - 1) % (ulong)Count);

    /// <summary>The partition of a member.</summary>
    public int OfMember(int member) => member % Count;

    /// <summary>Number of members of a partition.</summary>
    public int SizeOf(int partition) => ((Members - partition - 1) / Count) + 1;

    /// <summary>The member at a position of a partition.</summary>
    public int MemberAt(int partition, int position) => partition + (position * Count);
}
