using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Stack;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Security;

namespace QuickSilver.Testing.Runs.Shrinking;

/// <summary>The ways in which a run can be made smaller. Each gives a new specification, or the same object when there
/// is nothing to take away.</summary>
internal static class Reductions
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    /// <summary>Machines that are there.</summary>
    public static int[] Present(RunSpec spec) =>
        [.. Enumerable.Range(0, spec.Options.Nodes).Except(spec.Options.Absent)];

    /// <summary>Takes away what happens after an instant.</summary>
    public static RunSpec CutAfter(RunSpec spec, TimeSpan at)
    {
        SendPlan[] plans = [.. spec.Plans.Where(plan => plan.Start <= at).Select(plan => Shorten(plan, at))];
        TimeSpan lastFault = spec.Faults.Where(fault => fault.At <= at).Select(End).DefaultIfEmpty().Max();
        TimeSpan heal = lastFault + Second;
        return spec with
        {
            Plans = plans,
            Actions = [.. spec.Actions.Where(action => action.At <= at)],
            Faults = [.. spec.Faults.Where(fault => fault.At <= at)],
            HealAt = heal < spec.HealAt && at < spec.HealAt ? heal : spec.HealAt,
        };
    }

    /// <summary>Takes a part of the faults away.</summary>
    public static RunSpec WithoutFaults(RunSpec spec, int at, int length) =>
        spec with { Faults = Without(spec.Faults, at, length) };

    /// <summary>Takes a part of the actions away.</summary>
    public static RunSpec WithoutActions(RunSpec spec, int at, int length) =>
        spec with { Actions = Without(spec.Actions, at, length) };

    /// <summary>Takes a part of the plans away.</summary>
    public static RunSpec WithoutPlans(RunSpec spec, int at, int length) =>
        spec with { Plans = Without(spec.Plans, at, length) };

    /// <summary>Takes machines away, with all that they do and suffer. Their indices stay: the links of the others keep
    /// their luck.</summary>
    public static RunSpec WithoutNodes(RunSpec spec, int[] nodes) => spec with
    {
        Options = spec.Options with { Absent = [.. spec.Options.Absent.Concat(nodes).Order()] },
        Plans = [.. spec.Plans.Where(plan => !nodes.Contains(plan.Node))],
        Actions = [.. spec.Actions.Where(action => !nodes.Contains(action.Node))],
        Faults = [.. spec.Faults.Where(fault => fault.Hits.Count == 0 || !fault.Hits.All(nodes.Contains))],
    };

    /// <summary>Settings made usual: a whole part at once, then one by one.</summary>
    public static IEnumerable<RunSpec> SimplerOptions(RunSpec spec)
    {
        foreach (SimulationOptions options in SimplerOptions(spec.Options))
        {
            if (options != spec.Options) yield return spec with { Options = options };
        }
        for (int machine = 0; machine < spec.Publishers.Count; machine++)
        {
            if (spec.Publishers[machine].Count > 0)
                yield return spec with { Publishers = With(spec.Publishers, machine, []) };
        }
        if (spec.Groups.SelectMany(groups => groups).Distinct().Count() > 1)
        {
            foreach (string group in spec.Groups.SelectMany(groups => groups).Distinct().Order(StringComparer.Ordinal)
                .ToArray())
            {
                yield return spec with
                {
                    Groups = [
                        .. spec.Groups.Select(
                            groups => (IReadOnlyList<string>)[.. groups.Where(name => name != group)])],
                };
            }
        }
    }

    /// <summary>Entries of the lists made smaller: fewer messages, shorter faults.</summary>
    public static IEnumerable<RunSpec> SimplerEntries(RunSpec spec)
    {
        for (int index = 0; index < spec.Plans.Count; index++)
        {
            SendPlan plan = spec.Plans[index];
            if (plan.Count > 1)
                yield return spec with { Plans = With(spec.Plans, index, plan with { Count = plan.Count / 2 }) };
            if (plan.Count > 1)
                yield return spec with { Plans = With(spec.Plans, index, plan with { Count = plan.Count - 1 }) };
            if (plan.Pulled) yield return spec with { Plans = With(spec.Plans, index, plan with { Pulled = false }) };
            if (plan.Staged) yield return spec with { Plans = With(spec.Plans, index, plan with { Staged = false }) };
            if (plan.Also is not null)
                yield return spec with { Plans = With(spec.Plans, index, plan with { Also = null }) };
            if (plan.Alike > 1) yield return spec with { Plans = With(spec.Plans, index, plan with { Alike = 1 }) };
            if (plan.MaxBytes > 100)
                yield return spec with
                {
                    Plans = With(spec.Plans, index, plan with { MinBytes = 100, MaxBytes = 100 })
                };
        }
        for (int index = 0; index < spec.Faults.Count; index++)
        {
            Fault fault = spec.Faults[index];
            if (fault.Duration > TimeSpan.FromMilliseconds(100) && !fault.IsForEver)
                yield return spec with
                {
                    Faults = With(spec.Faults, index, fault with { Duration = fault.Duration / 2 })
                };
        }
    }

    private static IEnumerable<SimulationOptions> SimplerOptions(SimulationOptions options)
    {
        var membership = new MembershipServerSettings { FailureTimeout = options.Membership.FailureTimeout };
        yield return options with { Node = new NodeSettings() };
        yield return options with { Network = new NetworkModel() };
        yield return options with { Membership = membership };
        yield return options with { MembershipLink = new MembershipLinkModel() };
        yield return options with { Processor = new ProcessorModel() };
        yield return options with { BuggifySites = 0 };
        yield return options with { Sealing = Sealing.None };
        yield return options with { LesserCiphers = [] };
        yield return options with { ClockDrift = 0 };
        yield return options with { RejoinDelay = null };
        for (ulong sites = options.BuggifySites; sites != 0; sites &= sites - 1)
            yield return options with { BuggifySites = options.BuggifySites & ~(sites & (~sites + 1)) };
        yield return options with { Membership = membership with { Replication = options.Membership.Replication } };
        foreach (NetworkModel network in SimplerNetworks(options.Network))
            yield return options with { Network = network };
        foreach (NodeSettings node in SimplerNodes(options.Node)) yield return options with { Node = node };
    }

    private static IEnumerable<NetworkModel> SimplerNetworks(NetworkModel network)
    {
        var usual = new NetworkModel();
        yield return network with { Link = usual.Link };
        yield return network with { Overrides = usual.Overrides };
        yield return network with { Link = network.Link with { Loss = 0 } };
        yield return network with { Link = network.Link with { Duplication = 0 } };
        yield return network with { Link = network.Link with { Reordering = 0 } };
        yield return network with { Link = network.Link with { Corruption = 0 } };
        yield return network with { Link = network.Link with { Delay = usual.Link.Delay, Jitter = usual.Link.Jitter } };
        yield return usual with { Link = network.Link, Overrides = network.Overrides };
    }

    private static IEnumerable<NodeSettings> SimplerNodes(NodeSettings node)
    {
        var usual = new NodeSettings();
        RecoverySettings recovery = node.Recovery;
        RecoverySettings usualRecovery = usual.Recovery;
        yield return node with { Recovery = recovery with { EagerPull = usualRecovery.EagerPull } };
        yield return node with
        {
            Recovery = recovery with
            {
                ReorderGrace = usualRecovery.ReorderGrace,
                MinTokenInterval = usualRecovery.MinTokenInterval,
                QuietTokenInterval = usualRecovery.QuietTokenInterval,
            },
        };
        yield return node with { CacheBytes = usual.CacheBytes };
        yield return node with
        {
            MaxPendingMessages = usual.MaxPendingMessages,
            MaxPendingBytes = usual.MaxPendingBytes
        };
        yield return node with { Dissemination = node.Dissemination with { Rate = usual.Dissemination.Rate } };
        yield return node with { Recovery = usual.Recovery };
        yield return node with { Dissemination = usual.Dissemination };
        yield return node with { Delivery = usual.Delivery };
        yield return node with { NodeMaxPendingBytes = usual.NodeMaxPendingBytes };
        yield return node with { HeartbeatInterval = usual.HeartbeatInterval };
    }

    private static TimeSpan End(Fault fault) => fault.IsForEver ? fault.At : fault.At + fault.Duration;

    private static SendPlan Shorten(SendPlan plan, TimeSpan at)
    {
        if (plan.Interval == TimeSpan.Zero) return plan;
        double fit = (at - plan.Start) / plan.Interval;
        return fit + 1 < plan.Count ? plan with { Count = (int)fit + 1 } : plan;
    }

    private static T[] Without<T>(IReadOnlyList<T> list, int at, int length) =>
        [.. list.Take(at), .. list.Skip(at + length)];

    private static T[] With<T>(IReadOnlyList<T> list, int index, T entry) =>
        [.. list.Take(index), entry, .. list.Skip(index + 1)];
}
