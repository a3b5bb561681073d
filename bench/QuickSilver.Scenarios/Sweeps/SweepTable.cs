using QuickSilver.Bench;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using Spectre.Console;

namespace QuickSilver.Scenarios.Sweeps;

/// <summary>The findings of a sweep: a row for each point and variant.</summary>
internal sealed class SweepTable(SweepFindings findings)
{
    /// <summary>The figure that plots show.</summary>
    public const string RateFigure = "messages/s to the slowest receiver";

    /// <summary>All figures.</summary>
    public List<VariantSummary> Summary { get; } = [];

    /// <summary>The rates at full speed, over the axis.</summary>
    public List<(double X, VariantSummary Y)> Rates { get; } = [];

    /// <summary>Makes the table.</summary>
    public Table Make()
    {
        Table table = new Table().Border(TableBorder.Simple);
        table.AddColumn("system");
        string[] titles =
        [
            findings.Axis, "messages/s", "lowest", "highest", "of its first", "CPU us/msg", "and process",
            "wire bytes/msg", "lost",
            .. findings.Rate > 0 ? (string[])[$"p50 us at {findings.Rate:N0}/s", "p99 us", "p99.9 us", "lost"] : [],
        ];
        foreach (string title in titles) table.AddColumn(new TableColumn(title).RightAligned());
        foreach (Peer peer in findings.Peers)
        {
            double first = 0;
            foreach (SweepPoint point in findings.Points) first = AddRow(table, peer, point, first);
        }
        return table;
    }

    private double AddRow(Table table, Peer peer, SweepPoint point, double first)
    {
        double rate = findings.Rate;
        List<RunReport> full = findings.Of(peer, point.Setting.Text, 0);
        if (full.Count == 0)
        {
            table.AddRow([peer.Name, point.Label, .. Enumerable.Repeat("-", table.Columns.Count - 2)]);
            return first;
        }
        VariantSummary speed = Sum(peer, point, 0, RateFigure, full.Select(RunOutcome.SlowestRate));
        VariantSummary cpu = Sum(peer, point, 0, "CPU us/message of all processes", full.Select(PeerFigures.CpuMicros));
        VariantSummary wire = Sum(peer, point, 0, "wire bytes/message", full.Select(PeerFigures.WireBytes));
        Rates.Add((point.X, speed));
        if (first <= 0) first = speed.Median;
        List<string> cells =
        [
            peer.Name,
            point.Label,
            $"{speed.Median:N0}",
            $"{speed.Lowest:N0}",
            $"{speed.Highest:N0}",
            first > 0 ? $"{speed.Median / first:N2}" : "-",
            $"{cpu.Median:N2}",
            $"{cpu.Median / (point.Setting.Receivers + 1):N2}",
            $"{wire.Median:N0}",
            $"{full.Sum(PeerFigures.Lost):N0}",
        ];
        if (rate > 0)
        {
            List<RunReport> paced = findings.Of(peer, point.Setting.Text, rate);
            cells.AddRange(
            [
                Quantile("p50 us", latency => latency.P50),
                Quantile("p99 us", latency => latency.P99),
                Quantile("p99.9 us", latency => latency.P999),
                $"{paced.Sum(PeerFigures.Lost):N0}",
            ]);

            string Quantile(string figure, Func<LatencySummary, double> of)
            {
                IEnumerable<double> values = paced.Select(
                    run => PeerFigures.Worst(run) is { } worst ? of(worst) : double.NaN);
                double median = Sum(peer, point, rate, figure, values).Median;
                return double.IsNaN(median) ? "-" : $"{median:N0}";
            }
        }
        table.AddRow([.. cells]);
        return first;
    }

    private VariantSummary Sum(Peer peer, SweepPoint point, double offered, string figure, IEnumerable<double> values)
    {
        var summary = VariantSummary.Of(peer.Name, offered, $"{point.Setting.Text}: {figure}", values);
        Summary.Add(summary);
        return summary;
    }
}
