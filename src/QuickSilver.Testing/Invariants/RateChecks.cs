using QuickSilver.Protocol.Core;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>
/// V11: a member whose handler takes all its time does not hold a sender for longer than that waits, and five seconds;
/// for each further slow member as long again. It is removed, as long as another member keeps up. Nobody is removed as
/// too slow that no fault slows down or cuts off. Nor is the last that the slow ones leave, the sender aside. Judged by
/// what the handlers took and what waits in the applications, not by what the protocol measures. The first half is
/// asked of runs whose only faults are slow handlers.
/// O(groups of the node) a turn, in those runs alone.
/// </summary>
internal sealed class RateChecks(RunContext run, Func<int, bool> lives, Func<int, SimulatedNode> nodes)
{
    private static readonly TimeSpan Bound = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan Window = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Breath = TimeSpan.FromSeconds(10);

    private readonly List<Fault> _faults = [];
    private readonly Dictionary<int, Instant> _waitingSince = [];
    private readonly Dictionary<int, Filling> _filling = [];
    private readonly SortedSet<int> _nodes = [];
    private bool _isAsked;

    /// <summary>A fault is going to happen.</summary>
    public void Learn(Fault fault)
    {
        _faults.Add(fault);
        _isAsked = _faults.TrueForAll(static one => one is SlowHandler);
    }

    /// <summary>A node has ended a turn.</summary>
    public void OnTurn(SimulatedNode node)
    {
        if (!_isAsked || run.Options.Node.SlowMemberTimeout <= TimeSpan.Zero) return;
        _nodes.Add(node.Index);
        NoteWaiting(node);
        if (node.Work.HandlerTime > TimeSpan.Zero) CheckSlow(node);
        else _filling.Remove(node.Index);
    }

    /// <summary>A node was removed as too slow.</summary>
    public void OnShed(SimulatedNode node)
    {
        TimeSpan now = run.Now - Instant.Zero;
        if (!_faults.Exists(fault => Slows(fault, node.Machine, now)))
            throw run.Violation("V11", $"{node} was removed as too slow, and no fault slows it down");
        if (_isAsked && !_nodes.Any(sender => Sends(sender, node) && AnotherKeepsUp(node, sender)))
            throw run.Violation("V11", $"{node} was removed as too slow, and nobody is left who keeps up");
    }

    private void NoteWaiting(SimulatedNode node)
    {
        bool isWaiting = false;
        foreach (SimulatedGroup session in node.Groups.Concat(node.Publishers))
            isWaiting |= session.Waiting > 0 || session.Source is { EndlessBytes: > 0 };
        if (!isWaiting) _waitingSince.Remove(node.Index);
        else _waitingSince.TryAdd(node.Index, run.Now);
    }

    private void CheckSlow(SimulatedNode node)
    {
        if (!_filling.TryGetValue(node.Index, out Filling? filling))
            _filling[node.Index] = filling = new Filling(run.Now, run.Now, node.Work.Handled);
        if (run.Now - filling.At < Window) return;
        bool isFull = (node.Work.Handled - filling.Handled) / (run.Now - filling.At) > 0.9;
        Instant since = isFull ? filling.Since : run.Now;
        _filling[node.Index] = new Filling(since, run.Now, node.Work.Handled);
        if (!isFull || !node.IsMember) return;
        foreach ((int sender, Instant waitingSince) in _waitingSince)
        {
            if (sender == node.Index || !lives(sender) || !Share(nodes(sender), node)) continue;
            Instant from = waitingSince > since ? waitingSince : since;
            int slow = _faults.Select(static fault => ((SlowHandler)fault).Node).Distinct().Count();
            TimeSpan limit = (run.Options.Node.SlowMemberTimeout + Bound) * slow;
            if (run.Now - from <= limit || !AnotherKeepsUp(node, sender)) continue;
            throw run.Violation(
                "V11",
                $"the handler of {node} has held node {sender} for {run.Now - from}, and others keep up");
        }
    }

    private bool AnotherKeepsUp(SimulatedNode slow, int except)
    {
        foreach (int index in _nodes)
        {
            if (index == slow.Index || index == except || !lives(index)) continue;
            SimulatedNode other = nodes(index);
            if (other.IsMember && other.Work.HandlerTime == TimeSpan.Zero && Share(other, slow)) return true;
        }
        return false;
    }

    private bool Sends(int sender, SimulatedNode member) =>
        sender != member.Index && member.Groups.Any(session =>
            nodes(sender).FindSender(session.Name) is not null && session.Log.Find(sender) is { Count: > 0 });

    private static bool Share(SimulatedNode one, SimulatedNode other) =>
        other.Groups.Any(session => one.FindSender(session.Name) is not null);

    private static bool Slows(Fault fault, int machine, TimeSpan now)
    {
        bool isNow = fault.At <= now && (fault.IsForEver || now - fault.At - fault.Duration <= Breath);
        return isNow && fault switch
        {
            SlowHandler one => one.Node == machine,
            SlowNode one => one.Node == machine,
            NodeFreeze one => one.Node == machine,
            LossBurst one => one.Duration >= Window && (one.To is not { } to || to == machine),
            MembershipOutage or MembershipStall or CopyFault or ForgedSource => false,
            _ => true,
        };
    }

    private sealed record Filling(Instant Since, Instant At, TimeSpan Handled);
}
