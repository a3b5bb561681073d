using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Simulation.Tests.Scenarios;
using QuickSilver.Testing;
using QuickSilver.Testing.Logs;
using QuickSilver.Testing.Network;
using QuickSilver.Testing.Nodes;
using QuickSilver.Testing.Runs;
using QuickSilver.Testing.Runs.Generation;

namespace QuickSilver.Simulation.Tests.Logs;

/// <summary>The checker of logs accepts the logs of real runs, and finds what is broken in them by hand.</summary>
public class LogCheckerTests
{
    private static readonly Lazy<string[]> Good = new(Record);

    [Fact]
    public void LogsOfRealRunsAreFoundGood() => Seeds.ForEach(Seeds.Range(91_001, 16), seed =>
    {
        RunSpec spec = RunGenerator.Generate(
            seed, new GeneratorOptions { MaxNodes = 10, MaxLength = TimeSpan.FromSeconds(25) });
        RunResult result = RunExecution.Execute(spec with { Options = spec.Options with { KeepsLog = true } });
        bool isOfTheLog = result.Violation is { } violation
            && violation.Message.Contains("in the log", StringComparison.Ordinal);
        Assert.False(isOfTheLog, $"{seed}: {result.Violation}");
    });

    [Fact]
    public void TheLogIsNotEmptyAndGood()
    {
        Assert.Contains(Good.Value, line => line.Contains(" settled ", StringComparison.Ordinal));
        Assert.Empty(LogChecker.Check(Good.Value));
    }

    [Fact]
    public void ADamagedMessageIsFound() => Finds("D1", Change(" got ", words => words[7] = "0badc0de"));

    [Fact]
    public void AMessageThatNobodySentIsFound() =>
        Finds("D1", Without(line => line.Contains(" sent group 7 ", StringComparison.Ordinal)));

    [Fact]
    public void AMessageThatComesTwiceIsFound() =>
        Finds("D2", [.. Good.Value.SelectMany(line => IsThe(line, " got group 0 7 ") ? [line, line] : new[] { line })]);

    [Fact]
    public void AMessageForOthersIsFound() =>
        Finds("D3", [.. Good.Value.Select(line => line.Contains(" view group ", StringComparison.Ordinal)
            ? line.Replace(",2", string.Empty, StringComparison.Ordinal)
            : line)]);

    [Fact]
    public void MessagesOutOfOrderAreFound() => Finds("D5", Swap(" got group 0 7 ", " got group 0 8 "));

    [Fact]
    public void AHoleIsFound() => Finds("D5", WithoutOne(" got group 0 7 "));

    [Fact]
    public void AMissingLastMessageIsFound() => Finds("D7", WithoutOne(" got group 0 20 ", stable: false));

    [Fact]
    public void AMissingLastMessageThatWasStableIsFound() => Finds("D8", WithoutOne(" got group 0 20 "));

    [Fact]
    public void AnOwnMessageThatIsMissingIsFound() =>
        Finds("D6", Without(line => line.Contains(" 0 got group 0 20 ", StringComparison.Ordinal)
            || line.Contains("stable group 20", StringComparison.Ordinal)));

    [Fact]
    public void ALossOfALivingSenderIsFound() =>
        Finds("D7", [.. Good.Value.Select(line => IsThe(line, " got group 0 7 ")
            ? line[..line.IndexOf("got", StringComparison.Ordinal)] + "lost group 0 7 1"
            : line)]);

    [Fact]
    public void ALateBeginningIsFound() =>
        Finds("D9", Without(line => line.Contains(" 2 got group 0 1 ", StringComparison.Ordinal)));

    [Fact]
    public void ViewsThatDifferAreFound()
    {
        string last = Good.Value.Last(line => line.Contains(" view group ", StringComparison.Ordinal));
        Finds("V4", [.. Good.Value.Select(line => line == last ? line + ",9" : line)]);
    }

    [Fact]
    public void ViewsThatGoBackAreFound()
    {
        string[] views = [.. Good.Value.Where(line => line.Contains(" 0 view group ", StringComparison.Ordinal))];
        Assert.True(views.Length > 1, "the run must change its view");
        Finds("V1", [.. Good.Value.Select(line => line == views[0] ? views[^1] : line == views[^1] ? views[0] : line)]);
    }

    [Fact]
    public void NonsenseIsFound() => Finds("E1", ["12 0 sneezed", .. Good.Value]);

    private static void Finds(string invariant, string[] log)
    {
        IReadOnlyList<string> faults = LogChecker.Check(log);
        Assert.Contains(faults, fault => fault.StartsWith(invariant + ":", StringComparison.Ordinal));
    }

    private static bool IsThe(string line, string what) => line.Contains(" 1" + what, StringComparison.Ordinal);

    private static string[] Without(Func<string, bool> unwanted) => [.. Good.Value.Where(line => !unwanted(line))];

    private static string[] WithoutOne(string what, bool stable = true) =>
        Without(line => IsThe(line, what) || (!stable && line.Contains("stable group 20", StringComparison.Ordinal)));

    private static string[] Change(string verb, Action<string[]> change)
    {
        string[] lines = [.. Good.Value];
        int index = Array.FindIndex(lines, line => line.Contains(verb, StringComparison.Ordinal));
        string[] words = lines[index].Split(' ');
        change(words);
        lines[index] = string.Join(' ', words);
        return lines;
    }

    private static string[] Swap(string one, string other)
    {
        string[] lines = [.. Good.Value];
        int left = Array.FindIndex(lines, line => IsThe(line, one)),
            right = Array.FindIndex(lines, line => IsThe(line, other));
        (lines[left], lines[right]) = (lines[right], lines[left]);
        return lines;
    }

    // Three nodes, the last of which comes later; node 0 sends twenty messages when all are there.
    private static string[] Record()
    {
        var cluster = new SimulatedCluster(new SimulationOptions
        {
            Nodes = 3,
            KeepsLog = true,
            Network = new NetworkModel { Link = new LinkModel { Loss = 0.05 } },
            Membership = new MembershipServerSettings { FailureTimeout = TimeSpan.FromSeconds(60) },
        });
        cluster.Await(cluster.Nodes[0].Join("group"), cluster.Nodes[1].Join("group"));
        SimulatedJoin late = cluster.Nodes[2].Join("group");
        cluster.Await(late);
        cluster.Start(new SendPlan(0, "group", 20, TimeSpan.FromMilliseconds(5)));
        cluster.Settle(TimeSpan.FromSeconds(10));
        cluster.Shutdown();
        return [.. cluster.LogLines];
    }
}
