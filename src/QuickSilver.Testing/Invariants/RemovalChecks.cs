using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Nodes;
using InstalledView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// V5: a node that was told of another's removal, by the server or by a token, never installs a view with it that was
/// made after the removal. V7: a living node that is reachable both ways, and stands still for less than the detector's
/// limit, is not removed: a node that is removed alive must have an excuse among the faults of the run. A fault excuses
/// when it takes half of the limit that it strains, alone or together with others, so that what is near the limit
/// counts as beyond it. O(removed nodes) per view installed, O(faults) per removal.
/// </summary>
internal sealed class RemovalChecks(RunContext run)
{
    // From the end of a fault until what it did to a removal has happened: gathering by a new server and a detector
    // period, and a breath.
    private static readonly TimeSpan Breath = TimeSpan.FromSeconds(10);

    // What passes by a way that lets so long datagrams through is cut to it: nobody is removed for it.
    private const int ShortestLimit = 504;

    private readonly List<Fault> _faults = [];
    private readonly Dictionary<int, List<(ulong Key, StepNumber Step)>> _told = [];
    private readonly Dictionary<ulong, ulong> _lastStep = [];

    /// <summary>A fault is going to happen.</summary>
    public void Learn(Fault fault) => _faults.Add(fault);

    /// <summary>A node was told that others are removed.</summary>
    /// <param name="node">Index of the node.</param>
    /// <param name="installed">The step it has installed.</param>
    /// <param name="removed">Those removed.</param>
    public void OnTold(int node, StepNumber installed, IReadOnlyList<NodeInfo> removed)
    {
        if (!_told.TryGetValue(node, out List<(ulong, StepNumber)>? told)) _told.Add(node, told = []);
        foreach (NodeInfo gone in removed) told.Add((gone.Number.Key, installed));
    }

    /// <summary>True when a node was told of another's removal.</summary>
    public bool WasTold(int node, ulong key) =>
        _told.TryGetValue(node, out List<(ulong Key, StepNumber Step)>? told) && told.Exists(one => one.Key == key);

    /// <summary>A node has installed a view.</summary>
    public void CheckView(int node, InstalledView view)
    {
        if (!_told.TryGetValue(node, out List<(ulong Key, StepNumber Step)>? told)) return;
        foreach ((ulong key, StepNumber step) in told)
        {
            // A token may be faster than the steps that were made before the removal.
            bool isLater = view.FirstStep.Epoch > step.Epoch
                || view.FirstStep.Counter > _lastStep.GetValueOrDefault(key, ulong.MaxValue);
            if (!isLater || view.FirstStep <= step || view.IndexOf(key) < 0) continue;
            throw run.Violation("V5",
                $"node {node} installed {view} of step {view.FirstStep} with node number {key:x}, which it was told at "
                    + $"step {step} is removed");
        }
    }

    /// <summary>The membership server has announced a removal.</summary>
    /// <param name="key">Key of the node's number.</param>
    /// <param name="lastStep">The last step that the server had made.</param>
    public void OnAnnounced(ulong key, ulong lastStep) => _lastStep[key] = lastStep;

    /// <summary>The membership server has removed a node.</summary>
    public void OnRemoved(SimulatedNode node)
    {
        if (!node.IsAlive || node.IsEnding || IsExcused(node.Machine)) return;
        throw run.Violation("V7", $"{node} was removed, though it lives and nothing kept it from being heard for long");
    }

    private bool IsExcused(int machine)
    {
        MembershipServerSettings settings = run.Options.Membership;
        TimeSpan limit = settings.FailureTimeout > TimeSpan.Zero ? settings.FailureTimeout : TimeSpan.MaxValue / 4;
        TimeSpan now = run.Now - Instant.Zero;
        TimeSpan troubled = TimeSpan.Zero;
        bool broken = false;
        foreach (Fault fault in _faults)
        {
            if (fault.At > now || !Touches(fault, machine)) continue;
            TimeSpan end = fault.Duration < TimeSpan.Zero ? now : fault.At + fault.Duration;
            if (now - end > (2 * limit) + Breath) continue;
            if (fault is ServerReplacement or ServerOutage) return true;
            if (fault is HostOutage or HostFreeze or PeerCut or StoreCut or StoreOutage) return true;
            TimeSpan lasted = (end < now ? end : now) - fault.At;
            broken |= fault is MembershipOutage or Islands { FromServer: true };
            troubled += lasted;
        }
        // A broken connection is confirmed by the grace, in which a freeze or losses may keep the node from returning;
        // and until the server has the new one, nothing of the node comes to the detector either.
        MembershipLinkModel link = run.Options.MembershipLink;
        TimeSpan apart = troubled + run.Options.ReconnectPause + (2 * (link.Delay + link.Jitter))
            + (link.Stalls > 0 ? 2 * link.StallTime : TimeSpan.Zero);
        TimeSpan least = limit < settings.ReconnectGrace ? limit : settings.ReconnectGrace;
        return troubled >= limit / 2 || (broken && apart >= least / 2);
    }

    private static bool Touches(Fault fault, int machine) => fault switch
    {
        NodeFreeze one => one.Node == machine,
        SlowNode one => one.Node == machine,
        MembershipOutage one => one.Node == machine,
        MembershipStall one => one.Node == machine,
        ServerFreeze => false, // time in which the server reads nothing is no silence of nodes
        FalseWitness => false, // the word of a node that is in no group is worth nothing
        CopyFault => false, // one lost copy in all the time that it lasts
        LengthLimit one => one.Bytes < ShortestLimit,
        _ => true,
    };
}
