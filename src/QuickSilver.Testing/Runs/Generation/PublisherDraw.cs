using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>
/// Draws who publishes without being a member: senders that are members no longer, of one group or of any; members that
/// publish beside; groups that nobody is in; publishers that open and close all the time. Members that churn may join
/// what they publish to, and leave it.
/// </summary>
internal static class PublisherDraw
{
    private const double Runs = 0.4;

    /// <summary>Draws publishers; takes senders out of the groups that they are to publish to.</summary>
    /// <param name="random">The run's decisions.</param>
    /// <param name="groups">Groups of each machine; changed.</param>
    /// <param name="plans">Who sends; added to.</param>
    /// <param name="actions">What else happens; added to.</param>
    /// <param name="length">Length of the first phase.</param>
    /// <param name="traits">Told that the run has publishers.</param>
    /// <returns>The groups that each machine publishes to from the start; empty without publishers.</returns>
    public static IReadOnlyList<string>[] Draw(
        SimulationRandom random, IReadOnlyList<string>[] groups, List<SendPlan> plans, List<RunAction> actions,
        TimeSpan length, List<string> traits)
    {
        var dice = new Dice(random, RandomStream.Workload, part: 5);
        if (!dice.Chance(Runs)) return [];
        traits.Add("Publishers");
        string[] names = [.. groups.SelectMany(list => list).Distinct().Order(StringComparer.Ordinal), "unread-group"];
        SortedSet<string>[] published = [
            .. groups.Select(static _ => new SortedSet<string>(StringComparer.Ordinal))];
        foreach ((int node, string group) in plans.Select(plan => (plan.Node, plan.Group)).Distinct())
        {
            if (!dice.Chance(0.5)) continue;
            published[node].Add(group);
            if (dice.Chance(0.3)) groups[node] = [];
            else if (dice.Chance(0.8)) groups[node] = [.. groups[node].Where(name => name != group)];
        }
        for (int more = dice.Between(0, 4); more > 0; more--)
        {
            int node = dice.Between(0, groups.Length);
            string group = dice.Pick(names);
            published[node].Add(group);
            plans.Add(Plan(dice, node, group, length));
        }
        if (dice.Chance(0.4)) AddBrief(actions, plans, groups.Length, names, dice, length);
        return [.. published.Select(set => (IReadOnlyList<string>)[.. set])];
    }

    private static void AddBrief(
        List<RunAction> actions, List<SendPlan> plans, int nodes, string[] names, Dice dice, TimeSpan length)
    {
        for (int visitor = dice.Between(1, 4); visitor > 0; visitor--)
        {
            int node = dice.Between(0, nodes);
            string group = dice.Chance(0.3) ? $"brief-{dice.Between(0, 4)}" : dice.Pick(names);
            TimeSpan at = dice.Time(TimeSpan.FromMilliseconds(300), length);
            for (int session = dice.Between(1, 10); session > 0 && at < length; session--)
            {
                actions.Add(new PublisherOpen(at, node, [group]));
                if (dice.Chance(0.7)) plans.Add(Plan(dice, node, group, length) with { Start = at });
                at += dice.LogMillis(5, 2_000);
                actions.Add(new PublisherClose(at, node, [group]));
                at += dice.LogMillis(0.1, 500);
            }
        }
    }

    private static SendPlan Plan(Dice dice, int node, string group, TimeSpan length) =>
        new(node, group, dice.Between(1, 60), dice.LogMillis(0.1, 50))
        {
            Start = dice.Time(TimeSpan.FromMilliseconds(50), length),
            MaxBytes = dice.Between(8, 1_500),
            Staged = dice.Chance(0.5),
        };
}
