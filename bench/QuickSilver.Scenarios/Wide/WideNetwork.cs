using System.Globalization;
using QuickSilver.Bench.Lab;

namespace QuickSilver.Scenarios.Wide;

/// <summary>Hosts far apart: a network namespace for each site, with one card, and a router of this process between
/// them. Needs Linux, root and iproute2.</summary>
internal sealed class WideNetwork : IDisposable
{
    private const string Card = "wide0";
    private const string Subnet = "10.99.0.0/24";

    private readonly NamespaceSet _set = new();
    private readonly List<TunDevice> _cards = [];
    private readonly List<string> _hosts = [];

    /// <summary>Makes it; nothing passes yet.</summary>
    /// <param name="sites">How many.</param>
    /// <param name="kind">What joins their gateways.</param>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    public WideNetwork(int sites, WideLinkKind kind)
    {
        try
        {
            string control = kind.CongestionControlOf();
            for (int site = 0; site < sites; site++)
            {
                string host = _set.Add(Text($"w{site}"), loopbackMulticast: true);
                string card = Text($"qsw{Environment.ProcessId}s{site}");
                _cards.Add(new TunDevice(card));
                _hosts.Add(host);
                _set.Line($"ip link set {card} netns {host} name {Card}");
                _set.Line($"ip -n {host} addr add {AddressOf(site)}/24 dev {Card}");
                _set.Line($"ip -n {host} link set {Card} up");
                _set.Line(
                    $"ip -n {host} route replace {Subnet} dev {Card} src {AddressOf(site)} congctl {control}");
            }
            _set.Apply();
            Router = new TunRouter([.. _cards]);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>Whether this process may make one.</summary>
    public static bool CanMake => NamespaceSet.CanMake && File.Exists("/dev/net/tun");

    /// <summary>What lies between the sites.</summary>
    public TunRouter Router { get; } = null!;

    /// <summary>Where a site is.</summary>
    public static string AddressOf(int site) => Text($"10.99.0.{site + 1}");

    /// <summary>The words before a command that make it run at a site.</summary>
    public IReadOnlyList<string> PrefixOf(int site) => NamespaceSet.PrefixOf(_hosts[site]);

    /// <inheritdoc/>
    public void Dispose()
    {
        Router?.Dispose();
        _set.Dispose();
        foreach (TunDevice card in _cards) card.Dispose();
    }

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
