using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Draws which groups of a run are ordered, and their ring. Drawn apart, for runs that ask for it.</summary>
internal static class OrderedDraw
{
    private const double Groups = 0.6;
    private const double TogetherRuns = 0.6;
    private const int MostOthers = OrderedRecord.MaxGroups - 1;

    /// <summary>The names of groups that are drawn, by those they had.</summary>
    public static Dictionary<string, string> Names(SimulationRandom random, IReadOnlyList<string> all)
    {
        var dice = new Dice(random, RandomStream.Workload, part: 10);
        Dictionary<string, string> names = [];
        foreach (string group in all)
        {
            if (names.Count == 0 || dice.Chance(Groups)) names[group] = SimulatedModes.Ordered + group;
        }
        return names;
    }

    /// <summary>Draws who sends messages to several ordered groups at once: nodes that are in two, or publish to
    /// them.</summary>
    public static IReadOnlyList<SendPlan> Together(
        SimulationRandom random, IReadOnlyList<string>[] groups, IReadOnlyList<string>[] publishers, TimeSpan length,
        List<string> traits)
    {
        var dice = new Dice(random, RandomStream.Workload, part: 11);
        if (!dice.Chance(TogetherRuns)) return [];
        var places = new List<(int Node, string[] Groups)>();
        for (int node = 0; node < groups.Length; node++)
        {
            IEnumerable<string> published = node < publishers.Length ? publishers[node] : [];
            string[] names = [
                .. groups[node].Concat(published).Where(static name => name.StartsWith(
                    SimulatedModes.Ordered, StringComparison.Ordinal)).Distinct().Order(StringComparer.Ordinal)];
            if (names.Length > 1) places.Add((node, names));
        }
        var plans = new List<SendPlan>();
        if (places.Count == 0) return plans;
        traits.Add("Together");
        for (int sender = dice.Between(1, 5); sender > 0; sender--)
        {
            (int node, string[] names) = dice.Pick(places);
            string first = dice.Pick(names);
            string[] others = [.. names.Where(name => name != first)];
            string[] also = dice.Some(others, 0.5);
            int count = (int)dice.Log(5, 150);
            plans.Add(new SendPlan(node, first, count, dice.Chance(0.3) ? TimeSpan.Zero : dice.LogMillis(0.1, 200))
            {
                Start = dice.Time(TimeSpan.FromMilliseconds(50), length),
                MinBytes = 8,
                MaxBytes = dice.Between(8, dice.Chance(0.3) ? 8_000 : 1_500),
                Also = also.Length > 0 ? also[..Math.Min(also.Length, MostOthers)] : [others[0]],
            });
        }
        return plans;
    }

    /// <summary>Draws the ring's windows, and whether messages are safe.</summary>
    public static SimulationOptions Ring(SimulationRandom random, SimulationOptions options)
    {
        var dice = new Dice(random, RandomStream.Options, part: 10);
        int personal = (int)dice.Log(1, 40);
        return options with
        {
            Ordered = new OrderedSettings { IsSafe = dice.Chance(0.4) },
            Node = options.Node with
            {
                Ring = new RingSettings
                {
                    PersonalWindow = personal,
                    GlobalWindow = personal * dice.Between(1, 9),
                    AcceleratedWindow = dice.Chance(0.3) ? 0 : dice.Between(1, personal + 1),
                    Patience = dice.Millis(5, 50),
                },
            },
        };
    }
}
