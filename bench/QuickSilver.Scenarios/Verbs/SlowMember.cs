using System.CommandLine;
using System.CommandLine.Parsing;
using System.Diagnostics;
using QuickSilver.Bench;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using QuickSilver.Scenarios.Arguments;
using Spectre.Console;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// A member whose inline handler is slower than the messages come joins a group: at what rate the others receive
/// before, during and after, over sockets and within a machine, where it is removed and where it is waited for. All
/// nodes are in this process, each with a core thread of its own.
/// </summary>
internal sealed class SlowMember : IScenario
{
    private const string GroupName = "prices";
    private const double BackAtRate = 0.95;

    private readonly Option<int> _members = new Option<int>("--members")
    { Description = "Members that keep up; the first sends.", DefaultValueFactory = _ => 12 }.AtLeast(2);
    private readonly Option<double> _rate = new Option<double>("--rate")
    { Description = "Messages a second.", DefaultValueFactory = _ => 500 }.Above(0);
    private readonly Option<double> _handler = new Option<double>("--handler")
    { Description = "Milliseconds of the slow handler for each message.", DefaultValueFactory = _ => 10 }.Above(0);
    private readonly Option<double> _timeout = new Option<double>("--timeout")
    {
        Description = "Pending.SlowMemberTimeout of the sender, in seconds.",
        DefaultValueFactory = _ => 5,
    }.AtLeast(1);
    private readonly Option<double> _before = new Option<double>("--before")
    { Description = "Seconds before the slow member joins.", DefaultValueFactory = _ => 5 }.Above(0);
    private readonly Option<double> _during = new Option<double>("--during")
    { Description = "Seconds with it; then it leaves, if it is still there.", DefaultValueFactory = _ => 30 }.Above(0);
    private readonly Option<double> _after = new Option<double>("--after")
    { Description = "Seconds afterwards.", DefaultValueFactory = _ => 5 }.Above(0);

    /// <inheritdoc/>
    public string Verb => "slow-member";

    /// <inheritdoc/>
    public string Summary => "A member with a slow handler joins: the others' rate before, during and after.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options => [_members, _rate, _handler, _timeout, _before, _during, _after];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("run");
        foreach (string title in (string[])
            ["before, /s", "lowest second, /s", "at the limit after, s", "back at the rate after, s", "at the end, /s",
                "removed after, s"])
        {
            table.AddColumn(new TableColumn(title).RightAligned());
        }
        List<RunReport> runs = [];
        List<VariantSummary> summary = [];
        double rate = parsed.GetValue(_rate);
        foreach (bool isShared in (bool[])[false, true])
        {
            foreach (bool waits in (bool[])[false, true])
            {
                string variant = (isShared ? "within the machine" : "sockets") + (waits ? ", wait" : ", shed");
                Findings found = await RunOneAsync(parsed, isShared, waits, ct);
                var run = new RunReport { Variant = variant, Repetition = 1, OfferedRate = rate };
                runs.Add(run);
                RunOutcome.Tell(run, runs.Count, 4);
                table.AddRow(
                    variant, $"{found.Before:N0}", $"{found.Lowest:N0}", Text(found.HeldAfter), Text(found.BackAfter),
                    $"{found.AtTheEnd:N0}", Text(found.RemovedAfter));
                summary.Add(VariantSummary.Of(variant, rate, "messages/s before", [found.Before]));
                summary.Add(VariantSummary.Of(variant, rate, "messages/s in the slowest second", [found.Lowest]));
                summary.Add(VariantSummary.Of(variant, rate, "messages/s at the end", [found.AtTheEnd]));
            }
        }
        return new ScenarioOutcome(runs, summary, table);
    }

    private static string Text(double seconds) => double.IsNaN(seconds) ? "-" : $"{seconds:N1}";

    private async Task<Findings> RunOneAsync(ParseResult parsed, bool isShared, bool waits, CancellationToken ct)
    {
        int members = parsed.GetValue(_members);
        double timeout = parsed.GetValue(_timeout);
        long[] received = new long[members];
        var nodes = new List<QuickSilverNode>();
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(ct);
        try
        {
            Group? first = null;
            for (int index = 0; index < members; index++)
            {
                int number = index;
                nodes.Add(await StartAsync(isShared, waits, timeout));
                Group group = await nodes[^1].JoinAsync(GroupName, new GroupOptions
                {
                    OnMessage = (in MessageRef _) => Interlocked.Increment(ref received[number]),
                    BufferBeforeFirstRead = false,
                });
                first ??= group;
            }
            await first!.WaitForMembersAsync(members, ct);
            Task sending = SendAsync(first, parsed.GetValue(_rate), stop.Token);
            var meter = new RateMeter(received);
            await meter.RunAsync(parsed.GetValue(_before), ct);
            double joinedAt = meter.Now;
            nodes.Add(await StartAsync(isShared, waits, timeout));
            Group slow = await nodes[^1].JoinAsync(GroupName, new GroupOptions
            {
                OnMessage = (in MessageRef _) => Block(parsed.GetValue(_handler)),
                BufferBeforeFirstRead = false,
            });
            double removedAt = double.NaN;
            _ = slow.Completion.ContinueWith(
                _ => removedAt = meter.Now,
                CancellationToken.None,
                TaskContinuationOptions.None,
                TaskScheduler.Default);
            await meter.RunAsync(parsed.GetValue(_during), ct);
            double removedAfter = removedAt - joinedAt;
            await nodes[^1].DisposeAsync();
            nodes.RemoveAt(nodes.Count - 1);
            await meter.RunAsync(parsed.GetValue(_after), ct);
            await stop.CancelAsync();
            await sending.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            return meter.Conclude(joinedAt, parsed.GetValue(_during)) with { RemovedAfter = removedAfter };
        }
        finally
        {
            await stop.CancelAsync();
            foreach (QuickSilverNode node in nodes) await node.DisposeAsync();
        }
    }

    private static Task<QuickSilverNode> StartAsync(bool isShared, bool waits, double timeout)
    {
        var options = new QuickSilverOptions { ClusterName = "slow-member" };
        options.Membership.Port = 17_991;
        options.Transport.SharedMemory = isShared;
        options.Shutdown.DrainTimeout = TimeSpan.FromSeconds(1);
        options.Pending.SlowMemberTimeout = waits ? Timeout.InfiniteTimeSpan : TimeSpan.FromSeconds(timeout);
        return QuickSilverNode.StartAsync(options);
    }

    // What could not be sent in its time is not made up for: the rate is what is measured.
    private static async Task SendAsync(Group group, double rate, CancellationToken ct)
    {
        byte[] payload = new byte[100];
        var clock = Stopwatch.StartNew();
        double sent = 0;
        while (!ct.IsCancellationRequested)
        {
            for (; sent < clock.Elapsed.TotalSeconds * rate; sent++) await group.SendAsync(payload.AsMemory(), ct);
            sent = Math.Max(sent, (clock.Elapsed.TotalSeconds * rate) - 1);
            await Task.Delay(1, ct);
        }
    }

    private static void Block(double milliseconds)
    {
#pragma warning disable QS0001 // The handler is slow on purpose.
        Thread.Sleep(TimeSpan.FromMilliseconds(milliseconds));
#pragma warning restore QS0001
    }

    private sealed record Findings(
        double Before, double Lowest, double HeldAfter, double BackAfter, double AtTheEnd, double RemovedAfter);

    /// <summary>Counts what the slowest of the members receives in each half second.</summary>
    private sealed class RateMeter(long[] received)
    {
        private const double Period = 0.5;

        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private readonly List<(double At, double Rate)> _rates = [];
        private long[] _before = new long[received.Length];
        private double _at;

        public double Now => _clock.Elapsed.TotalSeconds;

        public async Task RunAsync(double seconds, CancellationToken ct)
        {
            double end = Now + seconds;
            while (Now < end)
            {
                await Task.Delay(TimeSpan.FromSeconds(Period), ct);
                long[] counts = [.. received.Select((_, index) => Interlocked.Read(ref received[index]))];
                double now = Now;
                long least = counts.Zip(_before, static (after, before) => after - before).Min();
                _rates.Add((now, least / (now - _at)));
                (_before, _at) = (counts, now);
            }
        }

        public Findings Conclude(double joinedAt, double during)
        {
            double before = Mean(_rates.Where(one => one.At < joinedAt).Skip(2));
            (double At, double Rate)[] slow = [.. _rates.Where(one => one.At > joinedAt && one.At < joinedAt + during)];
            double heldAt = First(slow.Where(one => one.Rate < before * BackAtRate * 0.8));
            double lastHeldAt = slow.LastOrDefault(one => one.Rate < before * BackAtRate * 0.8, (double.NaN, 0)).At;
            bool isBack = slow.Length > 0 && slow[^1].At > lastHeldAt + 2;
            double lowest = slow.Zip(slow.Skip(1), static (left, right) => (left.Rate + right.Rate) / 2)
                .DefaultIfEmpty().Min();
            return new Findings(
                before, lowest, heldAt - joinedAt, isBack ? lastHeldAt - joinedAt : double.NaN,
                Mean(slow.TakeLast(4)), double.NaN);
        }

        private static double First(IEnumerable<(double At, double Rate)> rates) =>
            rates.Select(static one => one.At).FirstOrDefault(double.NaN);

        private static double Mean(IEnumerable<(double At, double Rate)> rates) =>
            rates.Select(static one => one.Rate).DefaultIfEmpty().Average();
    }
}
