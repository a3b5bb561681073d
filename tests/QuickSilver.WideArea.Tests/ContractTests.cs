using System.Diagnostics.Metrics;
using System.Globalization;
using System.Reflection;
using System.Text.Json;
using Microsoft.Extensions.Logging;
using QuickSilver.Tests.Repository;
using QuickSilver.WideArea.Diagnostics;

namespace QuickSilver.WideArea.Tests;

/// <summary>What others rely on is written down: log ids and instruments.</summary>
public sealed class ContractTests
{
    [Fact]
    public void Every_log_record_and_instrument_is_listed()
    {
        string page = File.ReadAllText(SourceTree.PathOf("docs/monitoring.md"));
        int[] ids = [.. typeof(Log).GetMethods(BindingFlags.Static | BindingFlags.Public)
            .Select(static method => method.GetCustomAttribute<LoggerMessageAttribute>()?.EventId ?? 0)
            .Where(static id => id != 0)];
        Assert.NotEmpty(ids);
        Assert.Distinct(ids);
        string listed = string.Concat(
            page.Split('\n').Where(static line => line.StartsWith("| 17", StringComparison.Ordinal)));
        Assert.All(
            ids, id => Assert.Contains(id.ToString(CultureInfo.InvariantCulture), listed, StringComparison.Ordinal));

        var instruments = new HashSet<string>();
        var figures = new HashSet<string>();
        using var listener = new MeterListener();
        listener.InstrumentPublished = (instrument, mine) =>
        {
            if (instrument.Meter.Name != GatewayMeter.Name) return;
            lock (instruments) instruments.Add(instrument.Name);
            mine.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, _, _) => figures.Add(instrument.Name));
        listener.SetMeasurementEventCallback<double>((instrument, _, _, _) => figures.Add(instrument.Name));
        listener.Start();
        var link = new SiteLinkStatistics { Site = "tokyo", State = SiteLinkState.Up };
        using var meter = new GatewayMeter(null, () => new SiteGatewayStatistics
        {
            Site = "berlin",
            Links = [link],
            Order = new SiteOrderStatistics(),
        });
        listener.RecordObservableInstruments();
        Assert.Equal(22, instruments.Count);
        Assert.Equal(instruments.Order(), figures.Order());
        Assert.All(instruments, name => Assert.Contains($"`{name}`", page, StringComparison.Ordinal));
    }

    [Fact]
    public void Statistics_are_written_as_json_and_read()
    {
        var statistics = new SiteGatewayStatistics
        {
            Site = "berlin",
            Links =
            [
                new SiteLinkStatistics
                {
                    Site = "tokyo",
                    State = SiteLinkState.Up,
                    Transport = SiteLinkTransport.Tcp,
                    Loss = 0.1,
                    PacketsSent = 7,
                },
            ],
            Routes = [new SiteRoute("tokyo", "tokyo"), new SiteRoute("oslo", null)],
            MessagesForwarded = 3,
            IsActive = true,
            MessagesKept = 4,
            Order = new SiteOrderStatistics { Site = "berlin", HasBegun = true, WaitsFor = "oslo", Waiting = 2 },
        };
        string text = JsonSerializer.Serialize(statistics);
        Assert.Contains("\"Up\"", text, StringComparison.Ordinal);
        Assert.Equal(text, JsonSerializer.Serialize(JsonSerializer.Deserialize<SiteGatewayStatistics>(text)));
        var origin = new SiteOrigin("tokyo", MemberId.Parse("10.0.0.5:15001/7"), "alice", 3);
        Assert.Equal(origin, JsonSerializer.Deserialize<SiteOrigin>(JsonSerializer.Serialize(origin)));
    }
}
