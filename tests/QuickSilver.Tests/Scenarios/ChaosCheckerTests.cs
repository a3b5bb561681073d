using System.Diagnostics;
using System.Globalization;
using QuickSilver.Bench.Chaos;
using QuickSilver.Diagnostics;

namespace QuickSilver.Tests.Scenarios;

/// <summary>
/// What judges a chaos run is itself judged: a small run of three nodes that is in order passes, and each thing that
/// may be wrong with it is found. Node 0 sends; nodes 4 and 8 are of its class, so of one region with it. Instants in
/// the logs are milliseconds.
/// </summary>
public sealed class ChaosCheckerTests : IDisposable
{
    private const string Sender = "10.0.0.1:1/1";
    private const int Last = 8;
    private static readonly long Tick = Stopwatch.Frequency / 1000;

    private readonly string _directory = Directory.CreateTempSubdirectory("quicksilver-chaos-test-").FullName;
    private readonly Dictionary<string, List<string>> _logs = [];

    public ChaosCheckerTests()
    {
        foreach (int node in (int[])[0, 4, 8])
        {
            string id = node == 0 ? Sender : $"10.0.0.1:1/{node}";
            Log(node, $"L 1 {node}.1.1 {id}");
            Log(node, $"J 10 1 {id} 7");
            Log(node, "V 11 1 7 1 5 a,b,c");
            for (int number = 1; number <= Last; number++) Log(node, Message(number));
        }
        Log(0, $"C 61 {Sender} 7 5 50 2 0");
        Log(0, $"F 90 {Sender} 7 {Last}");
    }

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public void A_run_in_order_passes()
    {
        ChaosFindings findings = Check();
        Assert.Empty(findings.Violations);
        Assert.Equal(3 * Last, findings.Messages);
        Assert.Equal(0.006, findings.RecoveredSeconds, 3);
    }

    [Fact]
    public void A_torn_last_line_of_a_killed_process_is_passed_over()
    {
        _logs["n4.1"].Add("M 90 1 7 " + Sender[..4]);
        Assert.Empty(Check(tornFile: "n4.1").Violations);
    }

    [Fact]
    public void A_message_that_is_missing_without_a_word_is_found() => Convicts(() => Remove(4, 3), "no loss was told");

    [Fact]
    public void A_message_that_comes_twice_is_found() =>
        Convicts(() => Insert(4, 3, Message(2)), "out of order, or twice");

    [Fact]
    public void Messages_in_the_wrong_order_are_found() => Convicts(
        () =>
        {
            Remove(4, 3);
            Insert(4, 4, Message(3));
        },
        "out of order, or twice");

    [Fact]
    public void A_damaged_message_is_found() =>
        Convicts(() => Log(8, $"X 85 1 7 {Sender} 9 its content is damaged"), "its content is damaged");

    [Fact]
    public void A_last_message_that_one_member_lacks_is_found() =>
        Convicts(() => Remove(8, Last), $"lacks {Last} of 0.1.1");

    [Fact]
    public void A_last_message_that_nobody_has_is_found() => Convicts(
        () =>
        {
            foreach (int node in (int[])[0, 4, 8]) Remove(node, Last);
        },
        $"nobody has 0.1.1's last message {Last}");

    [Fact]
    public void A_loss_of_a_sender_that_lives_is_found() =>
        Convicts(() => Replace(4, 3, $"O 33 1 7 {Sender} 3 1 SenderFailed"), "which lives");

    [Fact]
    public void A_loss_at_one_survivor_of_a_region_only_is_found() => Convicts(
        () =>
        {
            Replace(4, 3, $"O 33 1 7 {Sender} 3 1 SenderFailed");
            Log(0, $"E 91 {Sender} evicted");
        },
        "lacks 3 of 0.1.1");

    [Fact]
    public void A_loss_told_alike_of_a_dead_sender_is_none()
    {
        foreach (int node in (int[])[4, 8]) Replace(node, 3, $"O 33 1 7 {Sender} 3 1 SenderFailed");
        // Node 0 is another process by now, and in the group again.
        _logs["n0.2"] = ["L 86 0.2.1 b/1", "J 88 1 b/1 7"];
        _logs["n0.1"].RemoveAll(line => line[0] == 'F');
        Assert.Empty(Check(lastProcessOfSender: 2).Violations);
    }

    [Fact]
    public void A_confirmed_message_that_a_survivor_lacks_is_found() =>
        Convicts(() => Replace(4, 5, $"O 53 1 7 {Sender} 5 1 SenderFailed"), "which was confirmed");

    [Fact]
    public void A_member_that_begins_too_late_is_found() => Convicts(() => Remove(4, 1), "after its join had returned");

    [Fact]
    public void A_view_number_with_two_contents_is_found() =>
        Convicts(() => Log(4, "V 84 1 7 1 6 a,b"), "elsewhere", () => Log(8, "V 84 1 7 1 6 a,c"));

    [Fact]
    public void A_view_that_goes_back_is_found() => Convicts(() => Log(4, "V 84 1 7 1 4 a,b"), "came after");

    [Fact]
    public void A_node_that_is_in_no_group_at_the_end_is_found() =>
        Convicts(() => Log(4, "Q 85 1 7 Evicted"), "n4 is in no group at the end");

    [Fact]
    public void A_recovery_that_takes_too_long_is_found() =>
        Convicts(
            () => Replace(4, 7, $"M 9000 1 7 {Sender} 7 {74 * Tick} 0.1.1"), "until everybody heard everybody again");

    [Fact]
    public void A_member_that_hears_nothing_after_the_last_fault_is_found() => Convicts(
        () =>
        {
            for (int number = 7; number <= Last; number++) Remove(8, number);
        },
        "nothing that 0.1.1 sent after the last fault");

    private void Convicts(Action damage, string expected, Action? more = null)
    {
        damage();
        more?.Invoke();
        Assert.Contains(Check().Violations, violation => violation.Contains(expected, StringComparison.Ordinal));
    }

    // Message n is handed over at 10 n + 4 and read 2 later; the last fault is over at 70. The instants that begin a
    // line are scaled here.
    private ChaosFindings Check(int lastProcessOfSender = 1, string tornFile = "")
    {
        foreach ((string name, List<string> lines) in _logs)
        {
            IEnumerable<string> scaled = lines.Select(Scale);
            string text = string.Join('\n', scaled) + (name == tornFile ? "" : "\n");
            File.WriteAllText(Path.Combine(_directory, $"{name}.log"), text);
        }
        // The nodes between those of one class are not part of the test.
        int[] last = [lastProcessOfSender, 0, 0, 0, 1, 0, 0, 0, 1];
        var end = new ChaosEnd { LastFault = 70 * Tick, LastProcesses = last, Confirmed = 0.1 };
        return ChaosChecker.Check(ChaosLogs.Read(_directory, last), end, limit: 7);
    }

    private static string Scale(string line)
    {
        string[] fields = line.Split(' ');
        fields[1] = (long.Parse(fields[1], CultureInfo.InvariantCulture) * Tick).ToString(CultureInfo.InvariantCulture);
        if (fields[0] == "C")
            fields[
                5] = (long.Parse(fields[5], CultureInfo.InvariantCulture) * Tick).ToString(
                    CultureInfo.InvariantCulture);
        return string.Join(' ', fields);
    }

    private static string Message(int number) =>
        $"M {(10 * number) + 6} 1 7 {Sender} {number} {((10 * number) + 4) * Tick} 0.1.1";

    private void Log(int node, string line)
    {
        if (!_logs.TryGetValue($"n{node}.1", out List<string>? lines)) _logs.Add($"n{node}.1", lines = []);
        lines.Add(line);
    }

    private int Find(int node, int number) =>
        _logs[
            $"n{node}.1"].FindIndex(
                line => line[0] == 'M' && line.Contains($"{Sender} {number} ", StringComparison.Ordinal));

    private void Remove(int node, int number) => _logs[$"n{node}.1"].RemoveAt(Find(node, number));

    private void Replace(int node, int number, string line) => _logs[$"n{node}.1"][Find(node, number)] = line;

    private void Insert(int node, int before, string line) => _logs[$"n{node}.1"].Insert(Find(node, before) + 1, line);
}
