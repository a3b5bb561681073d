using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// Which packets go into which repairs, and which nodes repairs go to.
/// <para>
/// <see cref="LateralCode.Xor"/> is the paper's: bins and mean numbers of targets by <see cref="BinPlan"/>. A repair
/// has r packets; the number of targets of the next repair is drawn when the bin is cleared. With no target the bin
/// only counts.
/// </para>
/// <para>
/// <see cref="LateralCode.Field"/>: one bin for each peer, which takes every packet of the groups shared with it. A
/// packet pays c / (r x peers) of a repair. When a repair is paid, it leaves, to that peer. So each peer covers each
/// packet once, at the cost that (r, c) allows. Peers begin at random points, so their repairs are spread in time.
/// </para>
/// <para>
/// At low rates bins fill slowly. So some leave in their turn, paid or not (<see cref="RepairTurns"/>).
/// </para>
/// <para>
/// Source: Ricochet, sections 3.1 and 3.2; staggering: its NSDI version. One bin a peer, fill-to-send and turns are
/// ours. O(bins of the group) a packet. Core thread only.
/// </para>
/// </summary>
/// <param name="random">Draws targets and starting points.</param>
internal sealed class RepairBins(SeededRandom random)
{
    private readonly RepairTurns _turns = new();
    private readonly RingQueue<RepairBin> _ready = new();
    private readonly List<RepairBin> _all = [];
    private List<RepairBin>[] _ofGroup = [];
    private double[] _shares = [];
    private MultiGroupView? _view;
    private ulong _self;
    private int _packets = 8;
    private int _lanes = 1;
    private LateralCode _code;

    /// <summary>Number of bins.</summary>
    public int Count => _all.Count;

    /// <summary>True while a repair waits to be sent.</summary>
    public bool HasReady => _ready.Count > 0;

    /// <summary>Makes the bins for a view. Bins of peers that stay keep their packets.</summary>
    /// <param name="view">The node's groups and their other members.</param>
    /// <param name="rates">The c of each group.</param>
    /// <param name="packets">The r of all groups.</param>
    /// <param name="code">How repairs are built.</param>
    /// <param name="lanes">Bins that take the packets of one bin in turn.</param>
    /// <param name="self">The node's key.</param>
    public void Rebuild(
        MultiGroupView view, double[] rates, int packets, LateralCode code, int lanes, ulong self)
    {
        Dictionary<ulong, RepairBin> known = [];
        RepairBin[] before = [.. _all];
        foreach (RepairBin bin in before)
        {
            if (bin.Lanes.Length == 0) continue;
            if (bin.Peer is { } peer && code == LateralCode.Field && bin.Lanes.Length == lanes)
                known[peer.Number.Key] = bin;
            else Drop(bin);
        }
        _self = self;
        _lanes = lanes;
        _view = view;
        _packets = packets;
        _code = code;
        _all.Clear();
        while (_ready.Count > 0) _ready.Dequeue();
        _ofGroup = new List<RepairBin>[view.Groups.Length];
        for (int group = 0; group < _ofGroup.Length; group++) _ofGroup[group] = [];
        _shares = new double[view.Groups.Length];
        for (int group = 0; group < _shares.Length; group++)
            _shares[group] = Math.Min(rates[group], view.Sizes[group]) / packets;
        if (code == LateralCode.Field) AddPeers(view, known);
        else AddPlan(view, rates);
        foreach (RepairBin bin in before)
        {
            if (bin.Lanes.Length > 0 && bin.Peer is { } peer && known.ContainsKey(peer.Number.Key)) Drop(bin);
        }
        // Turns follow the order of keys.
        foreach (List<RepairBin> bins in _ofGroup)
        {
            if (code == LateralCode.Field)
                bins.Sort(static (one, other) => one.Peer!.Number.Key.CompareTo(other.Peer!.Number.Key));
        }
    }

    /// <summary>A packet of a group has come, or was sent: it goes into the group's bins.</summary>
    /// <param name="group">Index of the group.</param>
    /// <param name="id">The packet.</param>
    /// <param name="isOwn">True for a packet of this node.</param>
    /// <param name="now">The time.</param>
    public void Add(int group, in LateralId id, bool isOwn, Instant now)
    {
        Debug.Assert((uint)group < (uint)_ofGroup.Length, "the group has bins");
        Debug.Assert(isOwn == (id.Sender == _self), "the sender is this node, or is not");
        if (_code == LateralCode.Xor && isOwn) return;
        List<RepairBin> bins = _ofGroup[group];
        if (_code == LateralCode.Xor)
        {
            foreach (RepairBin first in bins) AddPlanned(Lane(first), id, now);
            return;
        }
        double share = _shares[group] / Math.Max(1, isOwn ? bins.Count : bins.Count - 1);
        int turn = RepairTurns.Of(bins, _self, id);
        for (int index = 0; index < bins.Count; index++)
        {
            if (bins[index].Peer!.Number.Key == id.Sender) continue;
            RepairBin bin = Lane(bins[index]);
            AddPaid(bin, id, share, now);
            if (index == turn) _turns.Begin(bin, now);
        }
    }

    /// <summary>When <see cref="Flush"/> has something to do; <see cref="Instant.Never"/>: nothing waits.</summary>
    public Instant NextDue(Instant now) => _turns.NextDue(now);

    /// <summary>Bins that have waited long enough are ready, as far as the node may send.</summary>
    public void Flush(Instant now)
    {
        while (_turns.TryTake(now, out RepairBin bin)) MakeReady(bin, now);
    }

    /// <summary>Takes the next repair that is due; <see cref="Clear(RepairBin)"/> must follow.</summary>
    public bool TryTake(out RepairBin bin)
    {
        bin = null!;
        if (_ready.Count == 0) return false;
        bin = _ready.Dequeue();
        return true;
    }

    /// <summary>Empties a bin whose repair has left, and decides on the next.</summary>
    public void Clear(RepairBin bin)
    {
        bin.Clear();
        if (_code == LateralCode.Xor) Draw(bin);
        else bin.Credit = Math.Max(0, bin.Credit - 1);
    }

    /// <summary>
    /// Takes out the packets of a repair that has left. Those that it had no room for leave in a second one at once.
    /// </summary>
    /// <param name="bin">The bin.</param>
    /// <param name="packets">How many of its packets, from the first, are done with.</param>
    /// <param name="now">The time.</param>
    public void Clear(RepairBin bin, int packets, Instant now)
    {
        if (_code == LateralCode.Xor || packets == bin.Count)
        {
            Clear(bin);
            return;
        }
        bin.Clear(packets);
        MakeReady(bin, now);
    }

    /// <summary>The nodes that a repair goes to.</summary>
    public void AddTargets(RepairBin bin, List<NodeInfo> targets)
    {
        if (bin.Peer is { } peer)
        {
            if (!peer.IsRemoved) targets.Add(peer);
            return;
        }
        for (int index = 0; index < bin.Drawn.Length; index++)
        {
            List<NodeInfo> members = _view!.Regions[bin.Targets[index].Region].Members;
            int first = targets.Count;
            for (int left = Math.Min(bin.Drawn[index], members.Count); left > 0;)
            {
                NodeInfo member = members[(int)random.NextBelow((ulong)members.Count)];
                if (targets.IndexOf(member, first) >= 0) continue;
                targets.Add(member);
                left--;
            }
        }
        targets.RemoveAll(static target => target.IsRemoved);
    }

    private void AddPeers(MultiGroupView view, Dictionary<ulong, RepairBin> known)
    {
        foreach (LateralRegion region in view.Regions)
        {
            foreach (NodeInfo member in region.Members)
            {
                if (!known.Remove(member.Number.Key, out RepairBin? bin))
                    bin = Lay(() => new RepairBin { Peer = member, Credit = random.NextDouble() });
                foreach (RepairBin lane in bin.Lanes)
                {
                    _all.Add(lane);
                    if (lane.IsReady) _ready.Enqueue(lane);
                }
                foreach (int group in region.Groups) _ofGroup[group].Add(bin);
            }
        }
    }

    private void AddPlan(MultiGroupView view, double[] rates)
    {
        (int[] Groups, int Count)[] regions =
            [.. view.Regions.Select(static region => (region.Groups, region.Members.Count))];
        foreach (BinPlan.Bin planned in BinPlan.Make(view.Sizes, rates, regions))
        {
            RepairBin bin = Lay(() => new RepairBin { Groups = planned.Groups, Targets = planned.Targets });
            foreach (RepairBin lane in bin.Lanes)
            {
                Draw(lane);
                _all.Add(lane);
            }
            foreach (int group in planned.Groups) _ofGroup[group].Add(bin);
        }
    }

    private static void Drop(RepairBin first)
    {
        foreach (RepairBin lane in first.Lanes) lane.Clear();
    }

    // The first of the bins that are filled in turn.
    private RepairBin Lay(Func<RepairBin> make)
    {
        var lanes = new RepairBin[_lanes];
        for (int index = 0; index < lanes.Length; index++) lanes[index] = make();
        lanes[0].Lanes = lanes;
        return lanes[0];
    }

    private static RepairBin Lane(RepairBin first)
    {
        RepairBin lane = first.Lanes[first.Turn];
        first.Turn = first.Turn + 1 < first.Lanes.Length ? first.Turn + 1 : 0;
        return lane;
    }

    private void AddPaid(RepairBin bin, in LateralId id, double share, Instant now)
    {
        if (bin.Peer!.IsRemoved || share <= 0) return;
        bin.Add(id);
        bin.Credit += share;
        if (bin.Credit >= 1 || bin.IsFull) MakeReady(bin, now);
    }

    private void AddPlanned(RepairBin bin, in LateralId id, Instant now)
    {
        bool isSent = Array.Exists(bin.Drawn, static count => count > 0);
        bin.Seen++;
        if (isSent) bin.Add(id);
        if (bin.Seen < _packets) return;
        if (isSent) MakeReady(bin, now);
        else Clear(bin);
    }

    private void MakeReady(RepairBin bin, Instant now)
    {
        if (bin.IsReady) return;
        _turns.Count(now);
        bin.IsReady = true;
        _ready.Enqueue(bin);
    }

    private void Draw(RepairBin bin)
    {
        if (bin.Drawn.Length != bin.Targets.Count) bin.Drawn = new int[bin.Targets.Count];
        for (int index = 0; index < bin.Drawn.Length; index++)
        {
            double mean = bin.Targets[index].Mean;
            int least = (int)mean;
            bin.Drawn[index] = least + (random.NextDouble() < mean - least ? 1 : 0);
        }
    }
}
