using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
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
/// Source: Ricochet, sections 3.1 and 3.2; one bin a peer and fill-to-send are ours. O(bins of the group) a packet.
/// Core thread only.
/// </para>
/// </summary>
/// <param name="random">Draws targets and starting points.</param>
internal sealed class RepairBins(SeededRandom random)
{
    private readonly RingQueue<RepairBin> _ready = new();
    private readonly List<RepairBin> _all = [];
    private List<RepairBin>[] _ofGroup = [];
    private double[] _shares = [];
    private MultiGroupView? _view;
    private int _packets = 8;
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
    public void Rebuild(MultiGroupView view, double[] rates, int packets, LateralCode code)
    {
        Dictionary<ulong, RepairBin> known = [];
        foreach (RepairBin bin in _all)
        {
            if (bin.Peer is { } peer && code == LateralCode.Field) known[peer.Number.Key] = bin;
        }
        _view = view;
        _packets = packets;
        _code = code;
        _all.Clear();
        while (_ready.Count > 0) _ready.Dequeue().IsReady = false;
        _ofGroup = new List<RepairBin>[view.Groups.Length];
        for (int group = 0; group < _ofGroup.Length; group++) _ofGroup[group] = [];
        _shares = new double[view.Groups.Length];
        for (int group = 0; group < _shares.Length; group++)
            _shares[group] = Math.Min(rates[group], view.Sizes[group]) / packets;
        if (code == LateralCode.Field) AddPeers(view, known);
        else AddPlan(view, rates);
    }

    /// <summary>A packet of a group has come, or was sent: it goes into the group's bins.</summary>
    /// <param name="group">Index of the group.</param>
    /// <param name="id">The packet.</param>
    /// <param name="isOwn">True for a packet of this node.</param>
    public void Add(int group, in LateralId id, bool isOwn)
    {
        if (_code == LateralCode.Xor && isOwn) return;
        List<RepairBin> bins = _ofGroup[group];
        double share = _shares[group] / Math.Max(1, isOwn ? bins.Count : bins.Count - 1);
        foreach (RepairBin bin in bins)
        {
            if (_code == LateralCode.Xor) AddPlanned(bin, id);
            else if (bin.Peer!.Number.Key != id.Sender) AddPaid(bin, id, share);
        }
    }

    /// <summary>Takes the next repair that is due; <see cref="Clear"/> must follow.</summary>
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
                if (!known.TryGetValue(member.Number.Key, out RepairBin? bin))
                    bin = new RepairBin { Peer = member, Credit = random.NextDouble() };
                _all.Add(bin);
                foreach (int group in region.Groups) _ofGroup[group].Add(bin);
                if (bin.Credit >= 1 && bin.Count > 0) MakeReady(bin);
            }
        }
    }

    private void AddPlan(MultiGroupView view, double[] rates)
    {
        (int[] Groups, int Count)[] regions =
            [.. view.Regions.Select(static region => (region.Groups, region.Members.Count))];
        foreach (BinPlan.Bin planned in BinPlan.Make(view.Sizes, rates, regions))
        {
            var bin = new RepairBin { Groups = planned.Groups, Targets = planned.Targets };
            Draw(bin);
            _all.Add(bin);
            foreach (int group in planned.Groups) _ofGroup[group].Add(bin);
        }
    }

    private void AddPaid(RepairBin bin, in LateralId id, double share)
    {
        if (bin.Peer!.IsRemoved || share <= 0) return;
        bin.Add(id);
        bin.Credit += share;
        if (bin.Credit >= 1 || bin.IsFull) MakeReady(bin);
    }

    private void AddPlanned(RepairBin bin, in LateralId id)
    {
        bool isSent = Array.Exists(bin.Drawn, static count => count > 0);
        bin.Seen++;
        if (isSent) bin.Add(id);
        if (bin.Seen < _packets) return;
        if (isSent) MakeReady(bin);
        else Clear(bin);
    }

    private void MakeReady(RepairBin bin)
    {
        if (bin.IsReady) return;
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
