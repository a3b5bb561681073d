using QuickSilver.Tests.Repository;

namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>The page of the protocol's timers is written from the code.</summary>
public sealed class TimersPageTests
{
    private const string Variable = "QUICKSILVER_UPDATE_TIMERS";
    private const string Page = "docs/timers.md";

    private static readonly IReadOnlyList<ProtocolTimer> Timers = ProtocolTimer.All();

    [Fact]
    public void ThePageIsThatOfTheCode()
    {
        string path = SourceTree.PathOf(Page), page = Write();
        if (Environment.GetEnvironmentVariable(Variable) == "1") File.WriteAllText(path, page);
        Assert.True(
            File.Exists(path) && File.ReadAllText(path) == page,
            $"{Page} is not that of the code. Run this test with {Variable}=1:\n"
            + $"{Variable}=1 dotnet test tests/QuickSilver.Protocol.Tests --filter {nameof(TimersPageTests)}");
    }

    [Fact]
    public void ConstantsAndDefaultsAreFound()
    {
        Assert.Contains(Timers, timer => timer is { Name: "TimedEngine.SweepPause", Time: "1 s", Room: "Timed" });
        Assert.Contains(Timers, timer => timer is { Name: "LoopTurn.WarpLimit", Time: "50 ms", Room: "Core" });
        Assert.Contains(
            Timers, timer => timer.Text == "The longest round trip that is believed." && timer.Time == "10 s");
        Assert.True(Timers.Count > 90, $"only {Timers.Count} timers found");
    }

    [Fact]
    public void EachSaysWhatItIsFor()
    {
        // Names in these rooms speak for themselves until each has its comment.
        string[] spared = ["Recovery", "Dissemination"];
        Assert.DoesNotContain(Timers, timer => timer.Text.Length == 0 && !spared.Contains(timer.Room));
    }

    private static string Write()
    {
        var lines = new List<string>
        {
            "# Timers",
            "",
            "A test writes this page from `src/QuickSilver.Protocol`: each constant time of the code, and the default",
            "of each setting. The text is the first sentence of the comment there; a name without one is spelled out.",
            "Settings that an option sets have the option's value. [Protocol](protocol.md#waits) says what ends the",
            "waits of the membership.",
        };
        foreach (IGrouping<string, ProtocolTimer> room in Timers.GroupBy(static timer => timer.Room))
        {
            lines.AddRange(["", $"## {room.Key}", "", "| timer | value | what it is for |", "|---|---|---|"]);
            lines.AddRange(room.Select(static timer => $"| `{timer.Name}` | {timer.Time} | {timer.Says} |"));
        }
        return string.Join('\n', lines) + "\n";
    }
}
