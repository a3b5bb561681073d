using Spectre.Console;

namespace QuickStart;

/// <summary>Shows how far the programs are until all have ended: bars on a terminal, a line a second elsewhere.</summary>
internal static class ProgressDisplay
{
    private static readonly TimeSpan BarPeriod = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LinePeriod = TimeSpan.FromSeconds(1);

    /// <summary>Returns when every program has ended, or one has failed.</summary>
    public static Task ShowAsync(IReadOnlyList<Member> members, int messages, CancellationToken ct) =>
        Console.IsOutputRedirected || !AnsiConsole.Profile.Capabilities.Interactive
            ? ShowLinesAsync(members, ct)
            : ShowBarsAsync(members, messages, ct);

    private static async Task ShowLinesAsync(IReadOnlyList<Member> members, CancellationToken ct)
    {
        while (!HasEnded(members))
        {
            IEnumerable<string> states = members.Select(member => $"{member.Process.Name}: {member.Progress.Phase} {member.Progress.Count:N0}");
            Console.WriteLine(string.Join("   ", states));
            await Task.WhenAny(Ended(members), Task.Delay(LinePeriod, ct));
            ct.ThrowIfCancellationRequested();
        }
    }

    private static Task ShowBarsAsync(IReadOnlyList<Member> members, int messages, CancellationToken ct) =>
        AnsiConsole.Progress()
            .Columns(new TaskDescriptionColumn { Alignment = Justify.Left }, new ProgressBarColumn(), new PercentageColumn(), new ElapsedTimeColumn())
            .StartAsync(async context =>
            {
                ProgressTask[] bars = [.. members.Select(member => context.AddTask(member.Process.Name, maxValue: messages))];
                while (!HasEnded(members))
                {
                    Update(members, bars);
                    await Task.WhenAny(Ended(members), Task.Delay(BarPeriod, ct));
                    ct.ThrowIfCancellationRequested();
                }
                Update(members, bars);
            });

    private static void Update(IReadOnlyList<Member> members, ProgressTask[] bars)
    {
        for (int index = 0; index < bars.Length; index++)
        {
            bars[index].Description = $"{members[index].Process.Name}: {members[index].Progress.Phase}";
            bars[index].Value = members[index].Progress.Count;
        }
    }

    private static bool HasEnded(IReadOnlyList<Member> members) =>
        members.All(member => member.Process.Exit.IsCompleted)
        || members.Any(member => member.Process.Exit is { IsCompletedSuccessfully: true, Result: not 0 });

    private static Task Ended(IReadOnlyList<Member> members) =>
        Task.WhenAny(members.Select(member => member.Process.Exit).Where(exit => !exit.IsCompleted).DefaultIfEmpty(Task.FromResult(0)));
}
