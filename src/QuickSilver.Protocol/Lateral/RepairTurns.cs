using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// Which repairs leave before they are paid for, so that rare packets do not wait for others.
/// <para>
/// Idea: the members of a group stand in a ring by their keys. For each packet a member serves the one that stands some
/// places on, by a hash of the packet's id. All compute the same, so each member is served by one other. A bin leaves
/// when such a packet has waited in it for a while, as long as the node sends few repairs. So each packet reaches each
/// member in time, at one repair for each packet received, whatever the size of the group.
/// </para>
/// <para>
/// Awkward cases: members that see different memberships serve one twice, or not at all. A bin may have left, paid for,
/// before its turn, and wait again. O(log members) a packet. Core thread only. Not in the paper.
/// </para>
/// </summary>
internal sealed class RepairTurns
{
    /// <summary>How long a packet waits in a repair that its turn has come for, before the repair leaves.</summary>
    public static readonly TimeSpan FlushAfter = TimeSpan.FromMilliseconds(50);

    // Repairs a second of a node up to which repairs leave that are not paid for.
    private const int FlushesASecond = 100;

    private readonly RingQueue<(RepairBin Bin, Instant Due)> _waiting = new();
    private TokenBucket? _budget;

    /// <summary>Which of a group's bins is in its turn for a packet; -1: none.</summary>
    /// <param name="bins">The first bins of the group's other members, by their keys.</param>
    /// <param name="self">This node's key.</param>
    /// <param name="id">The packet.</param>
    public static int Of(List<RepairBin> bins, ulong self, in LateralId id)
    {
        if (bins.Count == 0) return -1;
        int place = 0;
        int above = bins.Count;
        while (place < above)
        {
            int middle = (place + above) / 2;
            if (bins[middle].Peer!.Number.Key < self) place = middle + 1;
            else above = middle;
        }
        int turn = place + (int)(id.Mixed % (ulong)bins.Count);
        return turn < bins.Count ? turn : turn - bins.Count;
    }

    /// <summary>A packet is in the bin in whose turn it is.</summary>
    public void Begin(RepairBin bin, Instant now)
    {
        if (bin.IsReady || bin.Count == 0 || bin.Due != Instant.Never) return;
        bin.Due = now + FlushAfter;
        Wait(bin);
    }

    /// <summary>A repair leaves. What is paid for counts, too: a node that sends enough has no turns.</summary>
    public void Count(Instant now) => Budget(now).TryTake(1, now);

    /// <summary>When <see cref="TryTake"/> gives a bin; <see cref="Instant.Never"/>: none waits.</summary>
    public Instant NextDue(Instant now)
    {
        while (_waiting.Count > 0 && _waiting.First.Bin.Due != _waiting.First.Due)
        {
            // It has left meanwhile, and may wait again.
            RepairBin bin = _waiting.Dequeue().Bin;
            bin.IsWaiting = false;
            Wait(bin);
        }
        if (_waiting.Count == 0) return Instant.Never;
        // Half of the budget is left to repairs that are paid for, which so come first.
        Instant ready = Budget(now).ReadyAt(FlushesASecond / 20, now);
        return _waiting.First.Due > ready ? _waiting.First.Due : ready;
    }

    /// <summary>Takes a bin whose packet has waited long enough, if the node may send.</summary>
    public bool TryTake(Instant now, out RepairBin bin)
    {
        bin = null!;
        if (NextDue(now) > now) return false;
        bin = _waiting.Dequeue().Bin;
        bin.IsWaiting = false;
        return true;
    }

    private TokenBucket Budget(Instant now) =>
        _budget ??= new TokenBucket(FlushesASecond, FlushesASecond / 10, now);

    // A bin is in the queue once at most, so the queue is no longer than the bins are many.
    private void Wait(RepairBin bin)
    {
        Debug.Assert(bin.Peer is not null, "only bins of peers wait for turns");
        if (bin.IsWaiting || bin.Due == Instant.Never) return;
        bin.IsWaiting = true;
        _waiting.Enqueue((bin, bin.Due));
    }
}
