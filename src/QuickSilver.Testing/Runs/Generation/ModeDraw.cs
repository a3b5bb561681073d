using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Runs.Generation;

/// <summary>Draws which groups of a run are of another mode than reliable, and renames them so. Drawn apart: without
/// such groups nothing of a run is different.</summary>
internal static class ModeDraw
{
    private const double Runs = 0.3;
    private const double Each = 0.4;

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
        List<string> traits)
    {
        var dice = new Dice(random, RandomStream.Workload, part: 9);
        if (!dice.Chance(Runs)) return (groups, publishers, plans, actions);
        string[] all = [
            .. groups.SelectMany(static list => list).Concat(publishers.SelectMany(static list => list))
                .Concat(plans.Select(static plan => plan.Group)).Distinct().Order(StringComparer.Ordinal)];
        HashSet<string> lateral = [.. all.Where(_ => dice.Chance(Each))];
        if (lateral.Count == 0) return (groups, publishers, plans, actions);
        traits.Add("Lateral");
        string Name(string group) => lateral.Contains(group) ? SimulatedModes.Lateral + group : group;
        IReadOnlyList<string>[] Names(IReadOnlyList<string>[] lists) =>
            [.. lists.Select(list => (IReadOnlyList<string>)[.. list.Select(Name)])];
        SendPlan Plan(SendPlan plan) => !lateral.Contains(plan.Group)
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
}
