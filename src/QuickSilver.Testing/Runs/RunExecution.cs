using System.Globalization;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs;

/// <summary>
/// Executes a <see cref="RunSpec"/>, to the letter and no further. First phase: everything in the lists happens at its
/// time, and the invariants that hold always are checked. Second phase, from <see cref="RunSpec.HealAt"/>: the core's
/// views converge, its joins and leaves return, what its members sent is delivered and stable, the network falls
/// silent, and the nodes shut down clean; each within its limit. Where the server awaits a majority, an operator tells
/// it meanwhile which members are gone for good.
/// </summary>
internal sealed class RunExecution
{
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan OperatorPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Standstill = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan SilenceWindow = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan SilenceLimit = TimeSpan.FromSeconds(30);

    private readonly RunSpec _spec;
    private readonly ulong _mostEvents;
    private readonly IReadOnlySet<int> _lost;
    private readonly IReadOnlySet<int> _dead;
    private readonly List<SimulatedJoin> _joins = [];
    private readonly List<(SimulatedNode Node, SimulatedLeave Leave)> _leaves = [];

    private RunExecution(RunSpec spec, ulong mostEvents)
    {
        _spec = spec;
        _mostEvents = mostEvents;
        _lost = spec.Lost();
        _dead = spec.Dead();
        Cluster = new SimulatedCluster(spec.Options);
    }

    /// <summary>The cluster.</summary>
    internal SimulatedCluster Cluster { get; }

    /// <summary>Executes a run from beginning to end.</summary>
    /// <param name="spec">The run.</param>
    /// <param name="mostEvents">Events after which it is given up as one that never ends (E1).</param>
    /// <returns>What came of it; a broken promise is a part of that, not an exception.</returns>
    public static RunResult Execute(RunSpec spec, ulong mostEvents = 200_000_000)
    {
        ArgumentNullException.ThrowIfNull(spec);
        var run = new RunExecution(spec, mostEvents);
        Violation? violation = null;
        try
        {
            run.Run();
        }
        catch (InvariantViolationException broken)
        {
            string message = broken.InnerException is null
                ? broken.Message : $"{broken.Message}\n{broken.InnerException}";
            violation = new Violation(broken.Invariant, message);
        }
        catch (SimulationSpinException spin)
        {
            violation = new Violation("E1", spin.Message);
        }
        catch (Exception unexpected) when (unexpected is not OutOfMemoryException)
        {
            violation = new Violation("E1", unexpected.ToString());
        }
        SimulatedCluster cluster = run.Cluster;
        return new RunResult
        {
            Violation = violation is null ? null : violation with { At = cluster.Elapsed },
            Trace = cluster.Trace.Value,
            Checkpoints = cluster.Trace.Checkpoints,
            Elapsed = cluster.Elapsed,
            Events = cluster.EventsExecuted,
            Delivered = cluster.MessagesDelivered,
            Datagrams = cluster.DatagramsSent,
            PacketFaults = cluster.NetworkCounters.Faults,
            Membership = cluster.MembershipLoad,
            Marks = cluster.Marks,
            Log = cluster.LogLines,
        };
    }

    /// <summary>Lets a node join groups.</summary>
    internal void Join(SimulatedNode node, IReadOnlyList<string> groups)
    {
        bool IsJoining(string name) =>
            _joins.Exists(
                join => join.Node == node && !join.IsPublisher && !join.IsCompleted && join.Failure is null
                    && join.Names.Contains(name));
        string[] names = [
            .. groups.Where(name => (node.FindGroup(name) is null || IsLeaving(node, name)) && !IsJoining(name))];
        foreach (string[] ofMode in SimulatedModes.ByMode(names)) _joins.Add(node.Join(ofMode));
    }

    /// <summary>Lets a node leave groups.</summary>
    internal void Leave(SimulatedNode node, IEnumerable<string> groups)
    {
        string[] names = [
            .. groups.Where(name => node.FindGroup(name) is { IsJoined: true } && !IsLeaving(node, name))];
        if (names.Length > 0) _leaves.Add((node, node.Leave(names)));
    }

    /// <summary>Lets a node publish to groups.</summary>
    internal void OpenPublishers(SimulatedNode node, IReadOnlyList<string> groups)
    {
        bool IsOpening(string name) =>
            _joins.Exists(
                join => join.Node == node && join.IsPublisher && IsUnderWay(join) && join.Names.Contains(name));
        string[] names = [
            .. groups.Where(name => (node.FindPublisher(name) is null || IsLeaving(node, name, isPublisher: true))
                && !IsOpening(name))];
        foreach (string[] ofMode in SimulatedModes.ByMode(names)) _joins.Add(node.OpenPublishers(ofMode));
    }

    /// <summary>Lets a node cease to publish to groups.</summary>
    internal void ClosePublishers(SimulatedNode node, IEnumerable<string> groups)
    {
        string[] names = [
            .. groups.Where(name => node.FindPublisher(name) is { IsJoined: true }
                && !IsLeaving(node, name, isPublisher: true))];
        if (names.Length > 0) _leaves.Add((node, node.ClosePublishers(names)));
    }

    /// <summary>Lets a node leave groups, and asks for them again at once.</summary>
    internal void LeaveThenJoin(SimulatedNode node, IReadOnlyList<string> groups)
    {
        string[] names = [
            .. groups.Where(name => node.FindGroup(name) is { IsJoined: true } && !IsLeaving(node, name))];
        if (names.Length == 0) return;
        _leaves.Add((node, node.Leave(names)));
        foreach (string[] ofMode in SimulatedModes.ByMode(names)) _joins.Add(node.Join(ofMode));
    }

    /// <summary>Lets a node leave all its groups, and end when it is out of them and what it sent is stable.</summary>
    internal void Shutdown(SimulatedNode node)
    {
        if (!node.IsAlive) return;
        Leave(node, [.. node.Groups.Select(group => group.Name)]);
        ClosePublishers(node, [.. node.Publishers.Select(group => group.Name)]);
        bool busy = node.Groups.Any() || node.Publishers.Any()
            || node.Stack.Rooms.DisseminationCounters.PendingMessages > 0
            || _joins.Exists(join => join.Node == node && IsUnderWay(join));
        if (busy) Cluster.After(TimeSpan.FromMilliseconds(50), () => Shutdown(node));
        else node.Shutdown();
    }

    private void Run()
    {
        Prepare();
        Advance(_spec.HealAt);
        Cluster.Concerns = node => !_lost.Contains(node.Machine);
        if (_spec.Options.Membership.AwaitMajority) ForgetGone();
        if (_spec.JoinLimit is { } limit)
            Await(limit, TimeSpan.Zero, () => FindDisagreement() is { } left ? ("V9", left.Missing) : null);
        Await(_spec.ConvergenceLimit, TimeSpan.Zero, FindWrongView);
        // A change of groups waits until what is under way in older views is stable, however slow the run.
        Await(_spec.ConvergenceLimit, Standstill, FindDisagreement);
        Await(_spec.SettleLimit, Standstill, FindUnsettled);
        if (!_spec.MustFallSilent) return;
        CheckSilence();
        Cluster.Shutdown();
    }

    // An operator looks again and again: a server that is about to take over may not know of those members yet.
    private void ForgetGone()
    {
        foreach (int machine in _lost) Cluster.ForgetMember(machine);
        foreach (NodeShutdown ended in _spec.Actions.OfType<NodeShutdown>())
        {
            if (!Cluster.On(ended.Node).IsAlive) Cluster.ForgetMember(ended.Node);
        }
        Cluster.After(OperatorPause, ForgetGone);
    }

    private void Prepare()
    {
        foreach (Fault fault in _spec.Faults) Cluster.Inject(fault);
        foreach (SendPlan plan in _spec.Plans) Cluster.Start(plan);
        foreach (RunAction action in _spec.Actions) Cluster.After(action.At, () => action.Apply(this));
        Cluster.Revived = JoinHome;
        foreach (SimulatedNode node in Cluster.Nodes) JoinHome(node);
    }

    private void JoinHome(SimulatedNode node)
    {
        if (node.IsAlive && node.Machine < _spec.Groups.Count && _spec.Groups[node.Machine].Count > 0)
            Join(node, _spec.Groups[node.Machine]);
        if (node.IsAlive && node.Machine < _spec.Publishers.Count && _spec.Publishers[node.Machine].Count > 0)
            OpenPublishers(node, _spec.Publishers[node.Machine]);
    }

    private void Advance(TimeSpan until)
    {
        while (Cluster.Elapsed < until)
        {
            TimeSpan left = until - Cluster.Elapsed;
            Cluster.RunFor(left < Slice ? left : Slice);
            CheckEvents();
        }
    }

    // Up to a limit, and beyond it for as long as no standstill is longer than that: of a few messages pending at a
    // time each takes some rounds.
    private void Await(TimeSpan limit, TimeSpan standstill, Func<(string Invariant, string Missing)?> find)
    {
        TimeSpan start = Cluster.Elapsed;
        TimeSpan until = start + limit;
        ulong delivered = Cluster.MessagesDelivered;
        while (!Cluster.RunUntil(() => find() is null, Slice))
        {
            CheckEvents();
            if (Cluster.MessagesDelivered != delivered && Cluster.Elapsed + standstill > until)
                until = Cluster.Elapsed + standstill;
            delivered = Cluster.MessagesDelivered;
            if (Cluster.Elapsed >= until && find() is { } missing)
            {
                throw Cluster.Violation(
                    missing.Invariant,
                    string.Create(CultureInfo.InvariantCulture, $"after {Cluster.Elapsed - start} {missing.Missing}"));
            }
        }
    }

    private (string Invariant, string Missing)? FindDisagreement()
    {
        foreach (SimulatedJoin join in _joins)
        {
            if (join.Failure is { } refusal && Cluster.IsConcerned(join.Node))
            {
                return ("D9", $"{join.Node}'s join of {Names(join.Names)} was refused: {refusal}");
            }
            if (Cluster.IsConcerned(join.Node) && IsUnderWay(join))
                return ("D9", $"{join.Node}'s join of {Names(join.Names)} has not returned");
        }
        foreach ((SimulatedNode node, SimulatedLeave leave) in _leaves)
        {
            if (Cluster.IsConcerned(node) && !leave.IsCompleted) return ("D9", $"a leave of {node} has not returned");
        }
        return FindWrongView();
    }

    private (string, string)? FindWrongView() =>
        ConvergenceChecks.FindDisagreement(Cluster, node => !_dead.Contains(node.Machine)) is { } disagreement
            ? ("V8", disagreement) : null;

    // Sending may go on after the first phase, and views may change by what is sent late: leaves and joins of the last
    // moment.
    private (string, string)? FindUnsettled() =>
        Cluster.IsSettled ? FindDisagreement() : Cluster.FindMissing() ?? ("D7", "sending has not ended");

    private void CheckSilence()
    {
        // Who is deaf or mute is asked again and again until it is removed.
        if (Cluster.Nodes.Any(node => node.IsMember && _lost.Contains(node.Machine))) return;
        // What comes again late is answered late.
        Advance(
            _spec.Faults.OfType<LateDuplicates>().Select(fault => fault.At + fault.Duration + fault.MaxDelay)
                .DefaultIfEmpty().Max());
        // A few rounds may still say that everything is stable; beacons may wait for their answer,
        // and a member whose leader fell for its turn to lead.
        Cluster.RunFor(SilenceWindow);
        ulong sent = 0;
        for (TimeSpan waited = SilenceWindow; waited <= SilenceLimit; waited += SilenceWindow)
        {
            ulong before = Cluster.DatagramsOfConcern;
            Cluster.RunFor(SilenceWindow);
            sent = Cluster.DatagramsOfConcern - before;
            if (sent == 0) return;
        }
        throw Cluster.Violation(
            "Q1", $"{sent} datagrams were sent in {SilenceWindow}, {SilenceLimit} after everything was stable");
    }

    private void CheckEvents()
    {
        if (Cluster.EventsExecuted > _mostEvents)
            throw Cluster.Violation("E1", $"the run has not ended after {Cluster.EventsExecuted} events");
    }

    private bool IsLeaving(SimulatedNode node, string name, bool isPublisher = false) =>
        _leaves.Exists(
            entry => entry.Node == node && !entry.Leave.IsCompleted
                && entry.Leave.Groups.Any(group => group.Info.Name == name && group.IsPublisher == isPublisher));

    private static bool IsUnderWay(SimulatedJoin join) =>
        !join.IsCompleted && join.Failure is null && join.Node.IsAlive;

    private static string Names(IReadOnlyList<string> names) => string.Join(", ", names);
}
