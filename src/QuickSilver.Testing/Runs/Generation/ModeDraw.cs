using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Timed;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Draws which groups of a run are of another mode than reliable, and renames them so. Drawn apart: without
/// such groups nothing of a run is different.</summary>
internal static class ModeDraw
{
    private const double Runs = 0.4;
    private const double LateralGroups = 0.25;
    private const double TimedGroups = 0.25;

    /// <summary>Renames the groups that are drawn.</summary>
    public static (
        IReadOnlyList<string>[] Groups,
        IReadOnlyList<string>[] Publishers,
        IReadOnlyList<SendPlan> Plans,
        IReadOnlyList<RunAction> Actions) Draw(
        SimulationRandom random,
        IReadOnlyList<string>[] groups,
        IReadOnlyList<string>[] publishers,
        IReadOnlyList<SendPlan> plans,
        IReadOnlyList<RunAction> actions,
        List<string> traits,
        bool ordered)
    {
        var dice = new Dice(random, RandomStream.Workload, part: 9);
        if (!ordered && !dice.Chance(Runs)) return (groups, publishers, plans, actions);
        string[] all = [
            .. groups.SelectMany(static list => list).Concat(publishers.SelectMany(static list => list))
                .Concat(plans.Select(static plan => plan.Group)).Distinct().Order(StringComparer.Ordinal)];
        Dictionary<string, string> names = ordered ? OrderedDraw.Names(random, all) : [];
        foreach (string group in all)
        {
            if (names.ContainsKey(group)) continue;
            if (dice.Chance(LateralGroups)) names[group] = SimulatedModes.Lateral + group;
            else if (dice.Chance(TimedGroups)) names[group] = SimulatedModes.Timed + group;
        }
        if (names.Count == 0) return (groups, publishers, plans, actions);
        if (names.Values.Any(static name => SimulatedModes.Of(name) == GroupModes.Lateral)) traits.Add("Lateral");
        if (names.Values.Any(static name => SimulatedModes.Of(name) == GroupModes.Timed)) traits.Add("Timed");
        if (ordered) traits.Add("Ordered");
        string Name(string group) => names.GetValueOrDefault(group, group);
        IReadOnlyList<string>[] Names(IReadOnlyList<string>[] lists) =>
            [.. lists.Select(list => (IReadOnlyList<string>)[.. list.Select(Name)])];
        SendPlan Plan(SendPlan plan) => !names.ContainsKey(plan.Group)
            ? plan : plan with { Group = Name(plan.Group), Long = false };
        RunAction Action(RunAction action) => action switch
        {
            GroupJoin join => join with { Groups = [.. join.Groups.Select(Name)] },
            GroupLeave leave => leave with { Groups = [.. leave.Groups.Select(Name)] },
            LeaveThenJoin both => both with { Groups = [.. both.Groups.Select(Name)] },
            PublisherOpen open => open with { Groups = [.. open.Groups.Select(Name)] },
            PublisherClose close => close with { Groups = [.. close.Groups.Select(Name)] },
            _ => action,
        };
        return (Names(groups), Names(publishers), [.. plans.Select(Plan)], [.. actions.Select(Action)]);
    }

    /// <summary>Draws the contract of timed groups.</summary>
    public static SimulationOptions Contract(SimulationRandom random, SimulationOptions options)
    {
        var dice = new Dice(random, RandomStream.Options, part: 9);
        return options with
        {
            TimedKeys = dice.Chance(0.5) ? dice.Between(1, 6) : 0,
            Timed = new TimedSettings
            {
                TimeToLive = dice.Chance(0.5) ? TimeSpan.FromSeconds(3) : dice.LogMillis(250, 5_000),
                PacketsPerSecond = (int)dice.Log(50, 1_000),
                BytesPerSecond = dice.Chance(0.7) ? 8 << 20 : dice.Log(1 << 20, 8 << 20),
                NakTimers = (NakTimers)dice.Between(0, 3),
                Grace = dice.Millis(0, 3),
                ReplacementWait = dice.Chance(0.5) ? TimeSpan.Zero : dice.LogMillis(10, 100),
                Replaces = dice.Chance(0.8),
                LatestOnly = dice.Chance(0.3),
                PartnersRepair = dice.Chance(0.7),
                MindsDeadlines = dice.Chance(0.8),
            },
        };
    }
}
