using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Stack;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Membership;
using QuickSilver.Testing.Scheduling;
using QuickSilver.Testing.Security;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Writes a <see cref="RunSpec"/> from a seed. Swarm testing (Groce and others, ISSTA 2012): each seed knows a random
/// few of the kinds of trouble and of the verbs, at a random scale, with settings drawn from their legal ranges in half
/// of the runs; one in ten has no faults at all. Same seed and bounds, same run; the parts draw from streams of their
/// own.
/// </summary>
internal static class RunGenerator
{
    private const double FaultFree = 0.1;
    private const double RareRuns = 0.08;
    private const double HostRuns = 0.12;
    private const double RareHostRuns = 0.7;
    private const double BuggifyRuns = 0.6;
    private const double BuggifyEach = 0.25;

    // What ends most processes at once hides much of what the other kinds do, and each makes many faults.
    private static readonly FaultKind[] Rare =
        [FaultKind.RackRestart, FaultKind.SurvivingMinority, FaultKind.HostPortCut];

    /// <summary>Writes a run.</summary>
    /// <param name="seed">Decides everything.</param>
    /// <param name="bounds">What may be drawn; null: anything that the protocol can take today.</param>
    public static RunSpec Generate(ulong seed, GeneratorOptions? bounds = null)
    {
        bounds ??= new GeneratorOptions();
        var random = new SimulationRandom(seed);
        var dice = new Dice(random, RandomStream.Topology);
        int nodes = DrawScale(dice, bounds);
        TimeSpan length = DrawLength(dice, nodes, bounds);
        IReadOnlyList<string>[] groups = TopologyDraw.Groups(dice, nodes);
        SimulationOptions options = ModeDraw.Contract(random, KnobDraw.Draw(random, nodes) with { Seed = seed });
        if (bounds.Ordered) options = OrderedDraw.Ring(random, options);
        var traits = new List<string>();
        (IReadOnlyList<SendPlan> plans, IReadOnlyList<RunAction> actions) = WorkloadDraw.Draw(
            random, groups, length, traits);
        var allPlans = new List<SendPlan>(plans);
        var allActions = new List<RunAction>(actions);
        IReadOnlyList<string>[] publishers = PublisherDraw.Draw(random, groups, allPlans, allActions, length, traits);
        (plans, actions) = (allPlans, allActions);
        if (bounds.Modes)
        {
            (groups, publishers, plans, actions) = ModeDraw.Draw(
                random, groups, publishers, plans, actions, traits, bounds.Ordered);
        }
        var cluster = new GeneratedCluster(options, bounds, groups, plans, length);
        var swarm = new Dice(random, RandomStream.Faults);
        var rareDice = new Dice(random, RandomStream.Faults, part: 4);
        FaultKind[] kinds = swarm.Chance(FaultFree) ? [] : DrawKinds(swarm, rareDice, cluster);
        bool isRare = kinds.Intersect(Rare).Any();
        if (rareDice.Chance(isRare ? RareHostRuns : HostRuns)) options = KnobDraw.WithHost(random, options);
        FaultKind[] repeated = kinds.Length == 0 ? [] : RepeatedTrouble.DrawKinds(random, bounds);
        IReadOnlyList<Fault> faults =
            [.. FaultDraw.Draw(random, cluster, kinds), .. RepeatedTrouble.Draw(random, cluster, repeated)];
        List<Fault> handlers = bounds.Without.Contains(FaultKind.SlowHandler)
            ? [] : SlowHandlerDraw.Draw(random, cluster);
        IReadOnlyList<Fault> remains = kinds.Length == 0 ? [] : RemainderDraw.Draw(random, cluster);
        // One that stays deaf and comes back again and again makes a ring each time: there is never silence.
        if (bounds.Ordered && remains.Count > 0) options = options with { RejoinDelay = null };
        traits.InsertRange(0, kinds.Concat(repeated).Select(kind => kind.ToString()));
        if (handlers.Count > 0) traits.Add(nameof(FaultKind.SlowHandler));
        List<Fault> upgrades = kinds.Length == 0 || bounds.Without.Contains(FaultKind.MixedVersions)
            ? [] : VersionDraw.Draw(random, cluster, ref options);
        if (upgrades.Count > 0) traits.Add(nameof(FaultKind.MixedVersions));
        if (remains.Count > 0) traits.Add("Core");
        // Drawn last: nothing else of the run depends on them.
        if (bounds.Ordered && bounds.SendersMayGo)
            plans = [.. plans, .. OrderedDraw.Together(random, groups, publishers, length, traits)];
        return new RunSpec
        {
            Options = options with
            {
                Restarts = Restarts(options, faults) + upgrades.Count,
                BuggifySites = DrawSites(new Dice(random, RandomStream.Buggify)),
            },
            Groups = groups,
            Publishers = publishers,
            Plans = plans,
            Actions = actions,
            Faults = [.. faults.Where(fault => !bounds.Ordered || fault is not LengthLimit), .. handlers, .. upgrades,
                .. remains],
            HealAt = length,
            JoinLimit = isRare ? ConvergenceLimit(options.Membership, options.MembershipLink) : null,
            ConvergenceLimit = ConvergenceLimit(options.Membership, options.MembershipLink),
            Traits = traits,
        };
    }

    // Where a majority is waited for, every machine that is not gone for good must come back, however often it is put
    // out.
    private static int Restarts(SimulationOptions options, IReadOnlyList<Fault> faults)
    {
        int rejoins = options.RejoinDelay is null ? 0 : options.Membership.AwaitMajority ? 20 : 2;
        return faults.OfType<NodeRestart>().Count() + (rejoins * options.Nodes);
    }

    // Mostly small: what goes wrong goes wrong with few nodes already, and small runs are cheap.
    private static int DrawScale(Dice dice, GeneratorOptions bounds)
    {
        double scale = dice.Unit();
        int nodes = scale switch
        {
            < 0.62 => dice.Between(2, 9),
            < 0.87 => dice.Between(9, 17),
            < 0.98 => dice.Between(17, 41),
            _ => 110,
        };
        return Math.Clamp(nodes, bounds.MinNodes, bounds.MaxNodes);
    }

    private static TimeSpan DrawLength(Dice dice, int nodes, GeneratorOptions bounds)
    {
        TimeSpan length = dice.Time(bounds.MinLength, bounds.MaxLength);
        return nodes > 40 ? length / 6 : nodes > 16 ? length / 2 : length;
    }

    private static FaultKind[] DrawKinds(Dice dice, Dice rareDice, GeneratedCluster cluster)
    {
        FaultKind[] possible =
        [
            .. Enum.GetValues<FaultKind>()
                .Where(kind => !RepeatedTrouble.Draws(kind)
                    && kind is not (FaultKind.SlowHandler or FaultKind.MixedVersions)
                    && !cluster.Bounds.Without.Contains(kind)),
        ];
        FaultKind[] usual = dice.Some([.. possible.Except(Rare)], dice.Chance(0.5) ? 0.12 : 0.3);
        return [.. usual, .. possible.Intersect(Rare).Where(_ => rareDice.Chance(RareRuns))];
    }

    private static ulong DrawSites(Dice dice)
    {
        if (!dice.Chance(BuggifyRuns)) return 0;
        ulong sites = 0;
        foreach (BuggifySite site in Enum.GetValues<BuggifySite>())
        {
            if (dice.Chance(BuggifyEach)) sites |= 1UL << (int)site;
        }
        return sites;
    }

    // Three detector periods and two seconds; beside them, joins and leaves of the last moment take their steps, each
    // at most as long as its installation is waited for. With a short period it takes longer: a sender that hears
    // nothing has fifteen seconds at least before it is judged.
    private static TimeSpan ConvergenceLimit(MembershipServerSettings membership, MembershipLinkModel link)
    {
        TimeSpan patience = membership.FailureTimeout == Timeout.InfiniteTimeSpan
            ? TimeSpan.FromSeconds(10) : membership.FailureTimeout;
        TimeSpan stuck = patience + TimeSpan.FromSeconds(15);
        return (3 * patience > stuck ? 3 * patience : stuck) + TimeSpan.FromSeconds(2)
            + (3 * (membership.InstallTimeout + membership.BatchWindow))
            + (10 * (link.Delay + link.Jitter));
    }
}
