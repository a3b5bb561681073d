using QuickSilver;
using QuickSilver.Samples;
using Spectre.Console;

namespace QuickStart;

/// <summary>What the programs' reports say together.</summary>
internal sealed class RunSummary
{
    private const int WidthWhenRedirected = 160;

    private readonly ClusterPlan _plan;
    private readonly ProgramReport _publisher;
    private readonly List<ProgramReport> _subscribers;
    private readonly List<string> _failures = [];

    /// <summary>Judges the reports.</summary>
    public RunSummary(ClusterPlan plan, IReadOnlyList<ProgramReport> reports)
    {
        _plan = plan;
        _publisher = reports.Single(report => report.Program == "Publisher");
        _subscribers = [.. reports.Where(report => report.Program == "Subscriber")];
        if (_publisher.Sent != plan.Messages) _failures.Add($"the publisher sent {_publisher.Sent:N0} messages of {plan.Messages:N0}");
        foreach (ProgramReport subscriber in _subscribers) Judge(subscriber.Node, subscriber.Check!);
    }

    /// <summary>What is wrong; empty when all is verified.</summary>
    public IReadOnlyList<string> Failures => _failures;

    /// <summary>Prints a table, the verdict and the failures.</summary>
    public void Print()
    {
        var table = new Table().Border(TableBorder.Simple);
        table.AddColumn("process");
        string[] titles = ["messages", "messages/s", "p50 ms", "p99 ms", "packets lost", "repaired by peers", "by the sender", "CPU s"];
        foreach (string title in titles) table.AddColumn(new TableColumn(title).RightAligned());
        table.AddRow(
            _publisher.Node, $"{_publisher.Sent:N0}", $"{_publisher.Sent / _publisher.SendSeconds:N0}",
            "", "", "", "", "", $"{_publisher.Usage.CpuSeconds:N1}");
        foreach (ProgramReport subscriber in _subscribers)
        {
            CheckReport check = subscriber.Check!;
            NodeStatistics statistics = subscriber.Statistics;
            table.AddRow(
                subscriber.Node, $"{check.Received:N0}", $"{check.Rate:N0}", $"{check.Latency?.P50 / 1000:N2}", $"{check.Latency?.P99 / 1000:N2}",
                $"{statistics.PacketsMissed:N0}", $"{statistics.RepairsFromPeers:N0}", $"{statistics.RepairsFromSenders:N0}",
                $"{subscriber.Usage.CpuSeconds:N1}");
        }
        if (Console.IsOutputRedirected) AnsiConsole.Profile.Width = WidthWhenRedirected;
        AnsiConsole.Write(table);
        Console.WriteLine(
            "Times are from the call that sends to the handler that receives, at full speed: "
            + "most of it is waiting to be sent, with up to 5,000 messages under way.");
        IEnumerable<RegionReport> carrying = _publisher.Regions.Where(region => region.Members > 1 || _publisher.Regions.Count == 1);
        string carriers = string.Join(" and ", carrying.Select(region => region.Carrier).Distinct());
        if (_failures.Count == 0)
        {
            Console.WriteLine(
                $"Verified: {_plan.Messages:N0} messages of {_plan.Size:N0} bytes over {_plan.Groups} groups "
                + $"reached each of {_subscribers.Count} subscribers once, whole and in order ({carriers}).");
        }
        foreach (string failure in _failures) Console.WriteLine($"FAILED: {failure}");
    }

    private void Judge(string node, CheckReport check)
    {
        if (!check.IsFaultless) _failures.Add($"{node}: {check.FirstFault}");
        if (check.Received != _plan.Messages) _failures.Add($"{node} received {check.Received:N0} messages of {_plan.Messages:N0}");
        int groups = Math.Min(_plan.Groups, _plan.Messages);
        if (check.Streams.Count != groups) _failures.Add($"{node} received messages in {check.Streams.Count} groups of {groups}");
        foreach (StreamReport stream in check.Streams)
        {
            if (stream.Sender != _publisher.Node) _failures.Add($"{node} received messages of {stream.Sender}");
            if (stream.First != 1 || stream.Last != (ulong)stream.Count)
                _failures.Add($"{node} received {stream.Count} messages in {stream.Group}, from {stream.First} to {stream.Last}");
        }
    }
}
