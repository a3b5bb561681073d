using System.Diagnostics.Metrics;
using System.Text.Json;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Diagnostics;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Tests.Monitoring;

/// <summary>The dashboard and the alert rules name instruments that there are.</summary>
[Collection(NodeCollection.Name)]
public sealed partial class GrafanaTests
{
    private const string Dashboard = "deploy/grafana/quicksilver-dashboard.json";
    private const string Alerts = "deploy/grafana/quicksilver-alerts.yml";

    [Theory]
    [InlineData(Dashboard)]
    [InlineData(Alerts)]
    public void Each_metric_is_an_instrument_as_Prometheus_has_it(string file)
    {
        HashSet<string> known = [.. Instruments().Select(Name)];
        string[] named = [.. Expressions(file).SelectMany(static expression =>
            Metric().Matches(expression).Select(static match => match.Value))
            .Where(static name => name != "quicksilver_node")];
        Assert.InRange(named.Distinct().Count(), 10, known.Count);
        Assert.Equal([], named.Except(known));
    }

    [Fact]
    public void Each_panel_of_the_dashboard_has_its_own_number_and_says_what_it_shows()
    {
        using JsonDocument json = JsonDocument.Parse(File.ReadAllText(SourceTree.PathOf(Dashboard)));
        JsonElement[] panels = [.. json.RootElement.GetProperty("panels").EnumerateArray()];
        Assert.Equal(
            panels.Length, panels.Select(static panel => panel.GetProperty("id").GetInt32()).Distinct().Count());
        foreach (JsonElement panel in panels.Where(static panel => panel.GetProperty("type").GetString() != "row"))
        {
            Assert.NotEmpty(panel.GetProperty("description").GetString()!);
            Assert.NotEqual(0, panel.GetProperty("targets").GetArrayLength());
        }
    }

    [Fact]
    public void Records_that_alerts_refer_to_are_on_the_page()
    {
        string page = File.ReadAllText(SourceTree.PathOf("docs/monitoring.md"));
        string text = File.ReadAllText(SourceTree.PathOf(Alerts)) + File.ReadAllText(SourceTree.PathOf(Dashboard));
        string[] ids = [.. Record().Matches(text).Select(static match => match.Value).Distinct()];
        Assert.InRange(ids.Length, 5, 50);
        Assert.All(ids, id => Assert.Contains(id, page, StringComparison.Ordinal));
    }

    [Fact]
    public void The_page_says_of_each_warning_and_error_who_should_hear_of_it()
    {
        string[] rows = [.. File.ReadLines(SourceTree.PathOf("docs/monitoring.md"))];
        string[] graver = ["warning", "error", "critical"];
        string[] grave =
        [
            .. rows.Where(row => row.StartsWith("| 1", StringComparison.Ordinal)
                    && graver.Any(row.Split('|')[2].Contains))
                .SelectMany(static row => Record().Matches(row.Split('|')[1]).Select(static match => match.Value)),
        ];
        string[] heard =
        [
            .. rows.SkipWhile(static row => row != "| who | when | records |").TakeWhile(static row => row.Length > 0)
                .SelectMany(static row => Record().Matches(row.Split('|')[3]).Select(static match => match.Value)),
        ];
        Assert.NotEmpty(grave);
        Assert.Equal(heard.Distinct(), heard);
        // Pairs share a row: of those one may be an information.
        string[] pairs = ["1102", "1106", "1122", "1211", "1335", "1612", "1631", "1706", "1713"];
        Assert.Equal([], grave.Except(heard).Except(pairs));
    }

    private static IEnumerable<string> Expressions(string file)
    {
        string text = File.ReadAllText(SourceTree.PathOf(file));
        if (file == Alerts) return Rule().Matches(text).Select(static match => match.Groups[1].Value);
        using JsonDocument json = JsonDocument.Parse(text);
        return
        [
            .. json.RootElement.GetProperty("panels").EnumerateArray()
                .Where(static panel => panel.TryGetProperty("targets", out _))
                .SelectMany(static panel => panel.GetProperty("targets").EnumerateArray())
                .Select(static target => target.GetProperty("expr").GetString()!),
        ];
    }

    // As the exporters of OpenTelemetry name them: dots are underscores, the unit and the kind follow.
    private static string Name(Instrument instrument)
    {
        string name = instrument.Name.Replace('.', '_');
        bool isGauge = instrument is ObservableGauge<double>;
        string unit = instrument.Unit switch
        {
            "s" => "_seconds",
            "By" => "_bytes",
            "1" when isGauge => "_ratio",
            _ => "",
        };
        return name + unit + (instrument is ObservableCounter<long> ? "_total" : "");
    }

    private static List<Instrument> Instruments()
    {
        var all = new List<Instrument>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name == "QuickSilver") all.Add(instrument);
            },
        };
        listener.Start();
        var log = new NodeLog(NullLoggerFactory.Instance, "node");
        using var meter = new NodeMeter(null, "of the dashboard", "memory", static () => new NodeStatistics(), log);
        return all;
    }

    [GeneratedRegex(@"\b(quicksilver|messaging)_[a-z_]+")]
    private static partial Regex Metric();

    [GeneratedRegex(@"^ +expr: (.+)$", RegexOptions.Multiline)]
    private static partial Regex Rule();

    [GeneratedRegex(@"\b1\d{3}\b")]
    private static partial Regex Record();
}
