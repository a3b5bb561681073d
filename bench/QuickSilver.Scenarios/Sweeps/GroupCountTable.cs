using System.Globalization;
using QuickSilver.Bench;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using Spectre.Console;

namespace QuickSilver.Scenarios.Sweeps;

/// <summary>The findings of <c>groups</c>: a row for each system, way to send, size and number of groups.</summary>
internal sealed class GroupCountTable(SweepFindings findings)
{
    private const double MiB = 1 << 20;
    private const string Ratio = "of the rate with the fewest groups";

    private static readonly (string Figure, Func<RunReport, double> Of)[] Figures =
    [
        (SweepTable.RateFigure, RunOutcome.SlowestRate),
        ("CPU us/message of the sender", run => CpuMicros(run.Processes[0])),
        ("CPU us/message of a receiver", run => RunOutcome.Receivers(run).Average(CpuMicros)),
        ("bytes allocated/message of the sender", run => Allocated(run.Processes[0])),
        ("bytes allocated/message of a receiver", run => RunOutcome.Receivers(run).Average(Allocated)),
        ("MiB resident, sender", run => run.Processes[0].ResidentBytes / MiB),
        ("MiB resident, largest receiver", run => RunOutcome.Receivers(run).Max(one => one.ResidentBytes) / MiB),
        ("token round trip, ms", run => run.Processes.Max(one => one.TokenRoundTripMicros) / 1e3),
        ("longest turn, ms, sender", run => LongestTurn(run.Processes[0])),
        ("longest turn, ms, receivers", run => RunOutcome.Receivers(run).Max(LongestTurn)),
        ("longest turn while joining, ms", run => run.Processes.Max(one => one.LongestJoinTurnMillis)),
    ];

    private readonly Dictionary<string, List<(double X, VariantSummary Y)>> _lines = [];

    private readonly List<string> _rows = ["size,groups,rate,lowest,highest,system,send"];

    /// <summary>All figures.</summary>
    public List<VariantSummary> Summary { get; } = [];

    /// <summary>Makes the table.</summary>
    public Table Make()
    {
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn(new TableColumn("system").NoWrap());
        string[] titles =
        [
            "groups", "messages/s (range)", "ratio", "CPU us/msg", "bytes/msg", "MiB", "token ms", "turn ms", "joining",
            .. findings.Rate > 0 ? (string[])[$"p50 us at {findings.Rate:N0}/s", "p99 us", "p99.9 us"] : [],
        ];
        foreach (string title in titles) table.AddColumn(new TableColumn(title).RightAligned());
        foreach (Peer peer in findings.Peers)
        {
            SweepPoint? first = null;
            foreach (SweepPoint point in findings.Points)
            {
                if (first is null || NameOf(peer, first) != NameOf(peer, point)) first = point;
                AddRow(table, peer, point, first);
            }
        }
        return table;
    }

    /// <summary>Draws the figures over the number of groups, and writes the rates as a table.</summary>
    /// <param name="svg">File of the rates; the others, and the table, lie beside it.</param>
    public void Draw(string svg)
    {
        string stem = Path.Combine(Path.GetDirectoryName(svg)!, Path.GetFileNameWithoutExtension(svg));
        File.WriteAllLines(stem + ".csv", _rows);
        (string Figure, string File)[] plots =
        [
            (SweepTable.RateFigure, svg), (Ratio, stem + "-ratio.svg"), (Figures[1].Figure, stem + "-cpu.svg"),
            (Figures[5].Figure, stem + "-memory.svg"), (Figures[7].Figure, stem + "-token.svg"),
            (Figures[8].Figure, stem + "-turn.svg"), ("p99.9 us", stem + "-latency.svg"),
        ];
        foreach ((string figure, string file) in plots)
        {
            if (_lines.TryGetValue(figure, out List<(double X, VariantSummary Y)>? points))
                Plot.Lines(file, "One sender to many groups", findings.Axis, figure, points);
        }
    }

    private void AddRow(Table table, Peer peer, SweepPoint point, SweepPoint first)
    {
        List<RunReport> full = findings.Of(peer, point.Setting.Text, 0);
        List<string> cells = [NameOf(peer, point), point.Label];
        if (full.Count == 0)
        {
            cells.AddRange(Enumerable.Repeat("-", 8));
        }
        else
        {
            VariantSummary[] sums = [
                .. Figures.Select(figure => Sum(peer, point, 0, figure.Figure, full.Select(figure.Of)))];
            // Within a repetition, since a machine's mood changes between them.
            Dictionary<int, double> firsts = findings.Of(peer, first.Setting.Text, 0)
                .ToDictionary(run => run.Repetition, RunOutcome.SlowestRate);
            VariantSummary ratio = Sum(
                peer, point, 0, Ratio,
                full.Where(run => firsts.ContainsKey(run.Repetition))
                    .Select(run => RunOutcome.SlowestRate(run) / Math.Max(1, firsts[run.Repetition])));
            _rows.Add(string.Create(
                CultureInfo.InvariantCulture,
                $"{point.Setting.Size},{point.X:F0},{sums[0].Median:F0},{sums[0].Lowest:F0},{sums[0].Highest:F0},"
                + $"{peer.Name},{point.Setting.Send.ToString().ToLowerInvariant()}"));
            double[] of = [.. sums.Select(sum => sum.Median)];
            cells.AddRange(
            [
                $"{of[0]:N0} ({sums[0].Lowest / 1e3:N0}-{sums[0].Highest / 1e3:N0}k)", $"{ratio.Median:N2}",
                $"{of[1]:N2}, {of[2]:N2}", $"{of[3]:N2}, {of[4]:N2}", $"{of[5]:N0}, {of[6]:N0}", $"{of[7]:N2}",
                $"{of[8]:N1}, {of[9]:N1}", $"{of[10]:N1}",
            ]);
        }
        if (findings.Rate > 0)
        {
            cells.Add(Quantile("p50 us", latency => latency.P50));
            cells.Add(Quantile("p99 us", latency => latency.P99));
            cells.Add(Quantile("p99.9 us", latency => latency.P999));
        }
        table.AddRow([.. cells]);

        string Quantile(string figure, Func<LatencySummary, double> of)
        {
            // At the fixed rate the setting may have losses that it does not have at full speed.
            IEnumerable<double> values = findings.Of(peer, point.RateSetting!.Text, findings.Rate)
                .Select(run => of(PeerFigures.Worst(run)!));
            VariantSummary sum = Sum(peer, point, findings.Rate, figure, values);
            return sum.Repetitions == 0 ? "-" : $"{sum.Median:N0}";
        }
    }

    private VariantSummary Sum(Peer peer, SweepPoint point, double offered, string figure, IEnumerable<double> values)
    {
        var summary = VariantSummary.Of(
            peer.Name, offered, $"{(offered > 0 ? point.RateSetting : point.Setting)?.Text}: {figure}", values);
        Summary.Add(summary);
        if (!_lines.TryGetValue(figure, out List<(double X, VariantSummary Y)>? line)) _lines.Add(figure, line = []);
        if (summary.Repetitions > 0) line.Add((point.X, summary with { Variant = NameOf(peer, point) }));
        return summary;
    }

    private static string NameOf(Peer peer, SweepPoint point) =>
        $"{peer.Name}, {point.Setting.Size:N0} B, {point.Setting.Send.ToString().ToLowerInvariant()}";

    private static double LongestTurn(ProcessReport process) =>
        process.Statistics?.LongestTurn.TotalMilliseconds ?? 0;

    private static double CpuMicros(ProcessReport process) => process.CpuSeconds * 1e6 / Math.Max(1, process.Measured);

    private static double Allocated(ProcessReport process) =>
        process.AllocatedBytes / (double)Math.Max(1, process.Measured);
}
