using System.Diagnostics.Metrics;

namespace QuickSilver.WideArea.Diagnostics;

/// <summary>Instruments of one gateway, on the meter "QuickSilver.WideArea": observable, so they cost nothing while
/// nobody reads them. Groups are no tags.</summary>
internal sealed class GatewayMeter : IDisposable
{
    /// <summary>Name of the meter.</summary>
    public const string Name = "QuickSilver.WideArea";

    private const string SiteTag = "quicksilver.site";
    private const string OtherTag = "quicksilver.site.other";

    private readonly Meter _meter;
    private readonly Func<SiteGatewayStatistics> _read;

    /// <summary>Creates the instruments.</summary>
    /// <param name="factory">Creates the meter; null: it belongs to the gateway alone.</param>
    /// <param name="read">Returns the latest statistics.</param>
    public GatewayMeter(IMeterFactory? factory, Func<SiteGatewayStatistics> read)
    {
        _read = read;
        var options = new MeterOptions(Name);
        _meter = factory?.Create(options) ?? new Meter(options);
        Count("quicksilver.sites.messages.forwarded", "{message}", "Messages read for other sites",
            static one => one.MessagesForwarded);
        Count("quicksilver.sites.messages.published", "{message}", "Messages of other sites published here",
            static one => one.MessagesPublished);
        Count("quicksilver.sites.messages.missed", "{message}", "Messages that other sites do not get",
            static one => one.MessagesMissed);
        Gauge("quicksilver.sites.active", "{gateway}", "1 for the active gateway of a site, 0 for one that stands by",
            static one => one.IsActive ? 1 : 0);
        Gauge("quicksilver.sites.messages.kept", "{message}", "Messages that a gateway that stands by keeps",
            static one => one.MessagesKept);
        Count("quicksilver.sites.messages.duplicated", "{message}", "Messages that came again when a gateway took over",
            static one => one.MessagesDuplicated);
        Count("quicksilver.sites.records.lost", "{record}", "Records of other sites that never came",
            static one => one.RecordsLost);
        Count("quicksilver.sites.strangers", "{datagram}", "Datagrams that no key of the links has sealed",
            static one => one.Strangers);
        Count("quicksilver.sites.connections.refused", "{connection}", "Connections of others that were refused",
            static one => one.ConnectionsRefused);
        CountLink("quicksilver.sites.link.packets.sent", "{packet}", "Packets sent for the first time",
            static link => link.PacketsSent);
        CountLink("quicksilver.sites.link.packets.resent", "{packet}", "Packets sent again",
            static link => link.PacketsResent);
        CountLink("quicksilver.sites.link.packets.rebuilt", "{packet}", "Packets rebuilt from parity",
            static link => link.PacketsRebuilt);
        CountLink("quicksilver.sites.link.failures", "{failure}", "Times that a link failed",
            static link => link.Failures);
        GaugeLink("quicksilver.sites.link.up", "{link}", "1 while a link is up",
            static link => link.State == SiteLinkState.Up ? 1 : 0);
        GaugeLink("quicksilver.sites.link.round_trip", "s", "Round trip of a link",
            static link => link.RoundTrip.TotalSeconds);
        GaugeLink("quicksilver.sites.link.loss", "1", "Share of the packets of a link that is lost",
            static link => link.Loss);
        GaugeLink("quicksilver.sites.link.waiting", "{record}", "Records that wait for a link",
            static link => link.Waiting);
        GaugeOrder("quicksilver.sites.order.waiting", "{message}", "Messages that wait for their turn in the order",
            static order => order.Waiting);
        GaugeOrder("quicksilver.sites.order.unacknowledged", "{message}", "Messages of a site that another one lacks",
            static order => order.Unacknowledged);
        GaugeOrder("quicksilver.sites.order.taking_part", "{site}", "Sites that take part in the order",
            static order => order.Sites.Count);
        GaugeOrder("quicksilver.sites.order.stands", "1", "1 while the order waits for a site",
            static order => order.WaitsFor is null ? 0 : 1);
        _meter.CreateObservableCounter(
            "quicksilver.sites.order.duplicates", () => OfOrder(static order => order.Duplicates), "{record}",
            "Records of the order that came again");
    }

    /// <summary>Removes the instruments.</summary>
    public void Dispose() => _meter.Dispose();

    private void Count(string name, string unit, string description, Func<SiteGatewayStatistics, long> of) =>
        _meter.CreateObservableCounter(
            name,
            () =>
            {
                SiteGatewayStatistics latest = _read();
                return new Measurement<long>(of(latest), new KeyValuePair<string, object?>(SiteTag, latest.Site));
            },
            unit, description);

    private void Gauge(string name, string unit, string description, Func<SiteGatewayStatistics, long> of) =>
        _meter.CreateObservableGauge(
            name,
            () =>
            {
                SiteGatewayStatistics latest = _read();
                return new Measurement<long>(of(latest), new KeyValuePair<string, object?>(SiteTag, latest.Site));
            },
            unit, description);

    private void GaugeOrder(string name, string unit, string description, Func<SiteOrderStatistics, long> of) =>
        _meter.CreateObservableGauge(name, () => OfOrder(of), unit, description);

    private IEnumerable<Measurement<long>> OfOrder(Func<SiteOrderStatistics, long> of)
    {
        SiteGatewayStatistics latest = _read();
        if (latest.Order is not { } order) return [];
        return [new Measurement<long>(of(order), new KeyValuePair<string, object?>(SiteTag, latest.Site))];
    }

    private void CountLink(string name, string unit, string description, Func<SiteLinkStatistics, long> of) =>
        _meter.CreateObservableCounter(name, () => OfLinks(of), unit, description);

    private void GaugeLink(string name, string unit, string description, Func<SiteLinkStatistics, double> of) =>
        _meter.CreateObservableGauge(name, () => OfLinks(of), unit, description);

    private IEnumerable<Measurement<T>> OfLinks<T>(Func<SiteLinkStatistics, T> of)
        where T : struct
    {
        SiteGatewayStatistics latest = _read();
        return latest.Links.Select(link => new Measurement<T>(
            of(link),
            new KeyValuePair<string, object?>(SiteTag, latest.Site),
            new KeyValuePair<string, object?>(OtherTag, link.Site)));
    }
}
