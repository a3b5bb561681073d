using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Draws who sends what, and who joins, leaves and shuts down. Sending goes on for a while after the first
/// phase, so that the healed core has something to show for itself.</summary>
internal static class WorkloadDraw
{
    // So many deliveries in a run at most, roughly: what makes runs slow is messages times receivers.
    private const int Deliveries = 60_000;

    /// <summary>Draws plans and actions.</summary>
    /// <param name="random">The run's decisions.</param>
    /// <param name="groups">Groups of each machine.</param>
    /// <param name="length">Length of the first phase.</param>
    /// <param name="traits">Told which verbs the run knows.</param>
    public static (IReadOnlyList<SendPlan> Plans, IReadOnlyList<RunAction> Actions) Draw(
        SimulationRandom random, IReadOnlyList<IReadOnlyList<string>> groups, TimeSpan length, List<string> traits)
    {
        var dice = new Dice(random, RandomStream.Workload);
        bool pulls = dice.Chance(0.3), bursts = dice.Chance(0.5), large = dice.Chance(0.3), empty = dice.Chance(0.3),
            churns = dice.Chance(0.45);
        if (pulls) traits.Add("Pull");
        if (bursts) traits.Add("SendBursts");
        if (large) traits.Add("LargeMessages");
        if (churns) traits.Add("Churn");
        var plans = new List<SendPlan>();
        int senders = dice.Between(1, Math.Min(7, groups.Count + 2));
        int messages = Math.Max(40, Deliveries / groups.Count / senders);
        var longs = new Dice(random, RandomStream.Workload, part: 5);
        bool writes = longs.Chance(0.3);
        if (writes) traits.Add("LongMessages");
        var used = new HashSet<(int, string)>();
        // Messages of one length travel in runs.
        var lengths = new Dice(random, RandomStream.Workload, part: 3);
        for (int sender = 0; sender < senders; sender++)
        {
            int node = dice.Between(0, groups.Count);
            string group = dice.Pick(groups[node]);
            if (!used.Add((node, group))) continue;
            int longest = large && dice.Chance(0.4) ? 20_000 : 1_500;
            var plan = new SendPlan(node, group, 0, TimeSpan.Zero)
            {
                MinBytes = empty ? 0 : 8,
                MaxBytes = dice.Between(8, longest),
                Pulled = pulls && dice.Chance(0.5),
            };
            if (lengths.Chance(0.4)) plan = plan with { MinBytes = plan.MaxBytes };
            else if (lengths.Chance(0.4)) plan = plan with { Alike = lengths.Between(5, 40) };
            if (!plan.Pulled && lengths.Chance(0.4)) plan = plan with { Staged = true };
            if (writes && !plan.Pulled && longs.Chance(0.6)) plan = plan with { Long = true };
            if (plan.Staged && !traits.Contains("Stage")) traits.Add("Stage");
            if (bursts && dice.Chance(0.6)) AddBursts(plans, plan, dice, length, messages);
            else plans.Add(Steady(plan, dice, length, messages));
        }
        List<RunAction> actions = churns ? DrawActions(random, groups, length, traits) : [];
        if (plans.Count > 0 && dice.Chance(0.25))
        {
            AddFlapping(actions, plans, groups, new Dice(random, RandomStream.Workload, part: 2), length, traits);
        }
        var brief = new Dice(random, RandomStream.Workload, part: 4);
        if (brief.Chance(0.2)) AddBriefGroups(actions, plans, groups.Count, brief, length, traits);
        return (plans, actions);
    }

    private static SendPlan Steady(SendPlan plan, Dice dice, TimeSpan length, int messages)
    {
        TimeSpan start = dice.Chance(0.7) ? dice.Millis(50, 1_000) : dice.Time(TimeSpan.Zero, length / 2);
        TimeSpan time = length + TimeSpan.FromSeconds(5) - start;
        int count = Math.Max(10, Math.Min(messages, (int)(time.TotalSeconds * dice.Log(1, 100))));
        return plan with { Start = start, Count = count, Interval = time / count };
    }

    private static void AddBursts(List<SendPlan> plans, SendPlan plan, Dice dice, TimeSpan length, int messages)
    {
        int bursts = dice.Between(2, 12);
        for (int burst = 0; burst < bursts; burst++)
        {
            int count = (int)dice.Log(1, Math.Max(2, Math.Min(400, messages / bursts)));
            TimeSpan interval = dice.Chance(0.5) ? TimeSpan.Zero : dice.LogMillis(0.1, 10);
            TimeSpan start = dice.Time(TimeSpan.FromMilliseconds(50), length + TimeSpan.FromSeconds(3));
            plans.Add(plan with { Start = start, Count = count, Interval = interval });
        }
    }

    // A member of a busy group leaves it and is back at once, again and again: what was sent to one session meets the
    // next.
    private static void AddFlapping(
        List<RunAction> actions, List<SendPlan> plans, IReadOnlyList<IReadOnlyList<string>> groups, Dice dice,
        TimeSpan length, List<string> traits)
    {
        traits.Add("Flapping");
        string group = dice.Pick(plans).Group;
        int[] members = [.. Enumerable.Range(0, groups.Count).Where(node => groups[node].Contains(group))];
        for (int burst = dice.Between(1, 4); burst > 0; burst--)
        {
            int node = dice.Pick(members);
            TimeSpan at = dice.Time(TimeSpan.FromMilliseconds(500), length);
            for (int change = dice.Between(1, 8); change > 0 && at < length; change--)
            {
                actions.Add(new GroupLeave(at, node, [group]));
                at += dice.LogMillis(0.1, 500);
                actions.Add(new GroupJoin(at, node, [group]));
                at += dice.LogMillis(5, 2_000);
            }
        }
    }

    // Groups that end when their last member leaves, under names that come again or not: a few nodes come and go, at
    // once or one after the other.
    private static void AddBriefGroups(
        List<RunAction> actions, List<SendPlan> plans, int nodes, Dice dice, TimeSpan length, List<string> traits)
    {
        traits.Add("BriefGroups");
        int names = dice.Between(1, 6);
        for (int visitor = dice.Between(1, 4); visitor > 0; visitor--)
        {
            int node = dice.Between(0, nodes);
            TimeSpan at = dice.Time(TimeSpan.FromMilliseconds(300), length);
            for (int session = dice.Between(1, 10); session > 0 && at < length; session--)
            {
                string name = $"brief-{dice.Between(0, names)}";
                actions.Add(new GroupJoin(at, node, [name]));
                if (dice.Chance(0.6))
                    plans.Add(
                        new SendPlan(
                            node, name, dice.Between(1, 20), dice.LogMillis(0.1, 50))
                        { Start = at, MaxBytes = 200 });
                at += dice.LogMillis(20, 2_000);
                actions.Add(new GroupLeave(at, node, [name]));
                at += dice.LogMillis(0.1, 500);
            }
        }
    }

    // Changes come in clusters, so that they meet in one batch, and views change while they change.
    private static List<RunAction> DrawActions(
        SimulationRandom random, IReadOnlyList<IReadOnlyList<string>> groups, TimeSpan length, List<string> traits)
    {
        var dice = new Dice(random, RandomStream.Workload, part: 1);
        string[] names = [.. groups.SelectMany(list => list).Distinct().Order(StringComparer.Ordinal), "late-group"];
        bool shutdowns = dice.Chance(0.4);
        if (shutdowns) traits.Add("Shutdown");
        var actions = new List<RunAction>();
        for (int cluster = dice.Between(1, 12); cluster > 0; cluster--)
        {
            TimeSpan at = dice.Time(TimeSpan.FromMilliseconds(500), length);
            TimeSpan spread = dice.Chance(0.4) ? TimeSpan.Zero : dice.LogMillis(0.1, 3_000);
            for (int change = dice.Between(1, 6); change > 0; change--)
            {
                int node = dice.Between(0, groups.Count);
                TimeSpan when = at + (spread * dice.Unit());
                if (dice.Chance(0.6)) actions.Add(new GroupLeave(when, node, dice.Some(names, 0.4)));
                if (dice.Chance(0.7)) actions.Add(new GroupJoin(when, node, dice.Some(names, 0.4)));
                if (shutdowns && dice.Chance(0.1)) actions.Add(new NodeShutdown(when, node));
            }
        }
        return actions;
    }
}
