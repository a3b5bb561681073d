using QuickSilver.Bench.Reports;

namespace QuickSilver.Bench.Modes;

/// <summary>What all members of a run come to in the groups of one mode.</summary>
internal sealed record ModeFigures
{
    private const double MicrosPerSecond = 1e6;

    public required GroupMode Mode { get; init; }

    /// <summary>Measured messages a second that the member with the fewest got from others.</summary>
    public double Rate { get; init; }

    /// <summary>Of all deliveries of all members, in microseconds.</summary>
    public LatencySummary? Latency { get; init; }

    /// <summary>The highest p99.9 of a member, in microseconds.</summary>
    public double WorstP999 { get; init; }

    /// <summary>Deliveries that should have been.</summary>
    public long Expected { get; init; }

    public long Lost { get; init; }

    public long ReportedLost { get; init; }

    /// <summary>Packets that members gave back: rebuilt from lateral repairs, or sent again by partners.</summary>
    public long FromMembers { get; init; }

    /// <summary>Repairs of reliable groups that were asked for, and came for packets that were here already.</summary>
    public long Wasted { get; init; }

    /// <summary>Packets that came because they were asked for; in reliable groups, from the sender.</summary>
    public long OnRequest { get; init; }

    /// <summary>Messages passed over: after their time, or replaced by newer ones.</summary>
    public long Skipped { get; init; }

    /// <summary>Smoothed token round of the slowest leader, in microseconds; 0 but for reliable groups.</summary>
    public double TokenMicros { get; init; }

    /// <summary>Processor time of all members for a message of any mode, in microseconds.</summary>
    public double CpuMicros { get; init; }

    /// <summary>Those of every mode of a run.</summary>
    public static IReadOnlyList<ModeFigures> Of(RunReport run)
    {
        List<ProcessReport> members = [.. run.Processes.Where(static process => process.Modes is not null)];
        if (members.Count == 0) return [];
        int modes = members[0].Modes!.Count;
        double messages = Math.Max(1, members.Sum(static member => member.Measured));
        double cpu = members.Sum(static member => member.CpuSeconds) * MicrosPerSecond / messages;
        return [.. Enumerable.Range(0, modes).Select(index => Of(members, index) with { CpuMicros = cpu })];
    }

    private static ModeFigures Of(List<ProcessReport> members, int index)
    {
        List<ModeReport> reports = [.. members.Select(member => member.Modes![index])];
        var all = new LatencyHistogram();
        foreach (ModeReport report in reports)
        {
            if (report.Buckets is { } buckets) all.Add(buckets, report.Latency?.Max ?? 0);
        }
        long sent = reports.Sum(static report => report.Sent);
        long expected = (members.Count - 1) * sent;
        GroupMode mode = reports[0].Mode;
        ModeFigures figures = Repairs(mode, members);
        return figures with
        {
            Rate = reports.Where(report => report.Measured > 0)
                .Select(static report => report.Measured / report.MeasuredSeconds).DefaultIfEmpty().Min(),
            Latency = all.Summarize(),
            WorstP999 = reports.Max(static report => report.Latency?.P999 ?? 0),
            Expected = expected,
            Lost = expected - reports.Sum(static report => report.Delivered),
        };
    }

    private static ModeFigures Repairs(GroupMode mode, List<ProcessReport> members)
    {
        // Without QuickSilver there are none.
        NodeStatistics[] statistics = [.. members.Select(static member => member.Statistics).OfType<NodeStatistics>()];
        return mode switch
        {
            GroupMode.Lateral => new ModeFigures
            {
                Mode = mode,
                FromMembers = statistics.Sum(static own => own.Lateral.PacketsRebuilt),
                OnRequest = statistics.Sum(static own => own.Lateral.PacketsResent),
                ReportedLost = statistics.Sum(static own => own.Lateral.MessagesLost),
                Skipped = statistics.Sum(static own => own.Lateral.DeadlinesPassed),
            },
            GroupMode.Timed => new ModeFigures
            {
                Mode = mode,
                FromMembers = statistics.Sum(static own => own.Timed.PartnerRepairsSent),
                OnRequest = statistics.Sum(static own => own.Timed.PacketsRecovered),
                ReportedLost = statistics.Sum(static own => own.Timed.MessagesExpired + own.Timed.Superseded),
                Skipped = statistics.Sum(static own => own.Timed.MessagesExpired + own.Timed.Superseded),
            },
            _ => new ModeFigures
            {
                Mode = mode,
                FromMembers = statistics.Sum(static own => own.RepairsFromPeers - own.Lateral.PacketsRebuilt),
                Wasted = statistics.Sum(static own => own.RepairsWasted),
                OnRequest = statistics.Sum(static own => own.RepairsFromSenders - own.Lateral.PacketsResent),
                TokenMicros = statistics.Select(static own => own.TokenRoundTrip.TotalMicroseconds)
                    .DefaultIfEmpty().Max(),
            },
        };
    }
}
