using System.Diagnostics;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// The walk of a token through one region view: the order of the members, without those removed from the cluster or
/// skipped in this round. Partitions stay as they were; within each the members come in the order of their positions.
/// All answers are O(members) at worst, O(1) when no member is missing.
/// </summary>
/// <param name="view">The view.</param>
/// <param name="skipped">Holds the members skipped in this round.</param>
internal sealed class RingPlan(RegionView view, List<int> skipped)
{
    private readonly List<int> _skipped = skipped;

    /// <summary>Members skipped so far in this round, ascending.</summary>
    public List<int> Skipped => _skipped;

    private int Partitions => view.Partitions.Count;

    private NodeInfo[] Members => view.Members;

    /// <summary>Takes over a token's list of skipped members; empty for a new round.</summary>
    public void Begin(List<int>? skipped)
    {
        _skipped.Clear();
        if (skipped is not null) _skipped.AddRange(skipped);
    }

    /// <summary>Leaves a member out of this round.</summary>
    public void Skip(int member)
    {
        Debug.Assert((uint)member < (uint)Members.Length, "a member of the view is skipped");
        int index = _skipped.BinarySearch(member);
        if (index < 0) _skipped.Insert(~index, member);
    }

    /// <summary>Takes a member up again that was left out: it is visited after all.</summary>
    /// <returns>False when it was not left out.</returns>
    public bool Visit(int member)
    {
        int index = _skipped.BinarySearch(member);
        if (index < 0) return false;
        _skipped.RemoveAt(index);
        return true;
    }

    /// <summary>True when no live member was skipped so far in this round.</summary>
    public bool IsWhole()
    {
        foreach (int member in _skipped)
        {
            if (!Members[member].IsRemoved) return false;
        }
        return true;
    }

    /// <summary>The first live member of a partition, between two others in its walk, that was skipped in this round;
    /// -1 when there is none.</summary>
    public int SkippedBetween(int partition, int after, int before)
    {
        foreach (int member in _skipped)
        {
            if (member <= after || member >= before || view.Partitions.OfMember(member) != partition) continue;
            if (!Members[member].IsRemoved) return member;
        }
        return -1;
    }

    /// <summary>
    /// True when no live member of a partition was skipped so far in this round: the result of the partition's walk
    /// holds for all of them.
    /// </summary>
    public bool IsWhole(int partition)
    {
        foreach (int member in _skipped)
        {
            if (!Members[member].IsRemoved && view.Partitions.OfMember(member) == partition) return false;
        }
        return true;
    }

    /// <summary>
    /// The lowest member that is not removed: the leader unless another took over. The first when all are removed.
    /// </summary>
    public int FirstLive()
    {
        for (int member = 0; member < Members.Length; member++)
        {
            if (!Members[member].IsRemoved) return member;
        }
        return 0;
    }

    /// <summary>Number of members before one that are not removed.</summary>
    public int RankOf(int member)
    {
        int rank = 0;
        for (int before = 0; before < member; before++)
        {
            if (!Members[before].IsRemoved) rank++;
        }
        return rank;
    }

    /// <summary>The next partition, from one on, with a member to visit; -1 when there is none.</summary>
    public int PartitionFrom(int partition)
    {
        for (; partition < Partitions; partition++)
        {
            if (LeadOf(partition) >= 0) return partition;
        }
        return -1;
    }

    /// <summary>
    /// The member at which the walk of a partition begins and ends; -1 when it has no member to visit.
    /// </summary>
    public int LeadOf(int partition) => NextInPartition(partition - Partitions);

    /// <summary>The next member to visit in the partition of one; -1 at its end.</summary>
    public int NextInPartition(int after)
    {
        for (int member = after + Partitions; member < Members.Length; member += Partitions)
        {
            if (!Members[member].IsRemoved && _skipped.BinarySearch(member) < 0) return member;
        }
        return -1;
    }
}
