namespace QuickSilver.Testing.Runs;

/// <summary>Runs as readable text.</summary>
internal static class RunText
{
    /// <summary>What happens in a run, in the order of time.</summary>
    public static IEnumerable<string> Describe(RunSpec spec)
    {
        ArgumentNullException.ThrowIfNull(spec);
        var lines = new List<(TimeSpan At, string Text)>();
        for (int machine = 0; machine < spec.Groups.Count; machine++)
        {
            if (!spec.Options.Absent.Contains(machine))
            {
                lines.Add((TimeSpan.Zero, $"machine {machine} is in {string.Join(", ", spec.Groups[machine])}"));
            }
        }
        for (int machine = 0; machine < spec.Publishers.Count; machine++)
        {
            if (!spec.Options.Absent.Contains(machine) && spec.Publishers[machine].Count > 0)
                lines.Add(
                    (TimeSpan.Zero, $"machine {machine} publishes to {string.Join(", ", spec.Publishers[machine])}"));
        }
        lines.AddRange(spec.Plans.Select(plan => (plan.Start, plan.ToString())));
        lines.AddRange(
            spec.Actions.Select(
                action => (action.At, action is GroupJoin join ? $"{action} {string.Join(", ", join.Groups)}"
            : action is GroupLeave leave ? $"{action} {string.Join(", ", leave.Groups)}" : action.ToString())));
        lines.AddRange(spec.Faults.Select(fault => (fault.At, fault.ToString())));
        IReadOnlySet<int> lost = spec.Lost();
        lines.Add(
            (spec.HealAt,
                $"from here on all must be "
                    + $"well{(lost.Count == 0 ? "" : $", but machines {string.Join(", ", lost.Order())}")}"));
        return lines.OrderBy(line => line.At).Select(line => $"  {line.At}  {line.Text}");
    }
}
