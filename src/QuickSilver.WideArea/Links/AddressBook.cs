using System.Net;
using System.Net.Sockets;
using QuickSilver.WideArea.Diagnostics;

namespace QuickSilver.WideArea.Links;

/// <summary>Resolves the addresses of neighbours: at the start, and every five seconds while a link is not up. Its task
/// runs on pool threads.</summary>
/// <param name="plan">Who they are.</param>
/// <param name="socket">Sends to them.</param>
/// <param name="isUp">Whether the link to a site is up.</param>
/// <param name="log">The log.</param>
internal sealed class AddressBook(GatewayPlan plan, GatewaySocket socket, Func<string, bool> isUp, GatewayLog log)
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(5);

    private readonly SocketAddress[]?[] _found = new SocketAddress[]?[plan.Map.Count];
    private readonly Dictionary<string, string?> _faults = [];

    /// <summary>Where gateways of a neighbouring site may be; empty while that is not known. Any thread.</summary>
    public SocketAddress[] Of(int site) => Volatile.Read(ref _found[site]) ?? [];

    /// <summary>Resolves all of them.</summary>
    public async Task ResolveAsync(CancellationToken cancellationToken)
    {
        for (int site = 0; site < plan.Map.Count; site++)
        {
            if (plan.Addresses[site].Count > 0) await ResolveAsync(site, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Resolves names again until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                await Task.Delay(Pause, cancellationToken).ConfigureAwait(false);
                for (int site = 0; site < plan.Map.Count; site++)
                {
                    if (plan.Addresses[site].Count == 0 || isUp(plan.Map.NameOf(site))) continue;
                    await ResolveAsync(site, cancellationToken).ConfigureAwait(false);
                }
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }

    private async Task ResolveAsync(int site, CancellationToken cancellationToken)
    {
        var all = new List<SocketAddress>();
        foreach (string address in plan.Addresses[site])
        {
            if (await FindAsync(site, address, cancellationToken).ConfigureAwait(false) is { } one) all.Add(one);
        }
        // A name that cannot be resolved for a while leaves what was known.
        if (all.Count == plan.Addresses[site].Count || Of(site).Length < all.Count)
            Volatile.Write(ref _found[site], [.. all]);
    }

    private async Task<SocketAddress?> FindAsync(int site, string address, CancellationToken cancellationToken)
    {
        _ = SiteAddress.TryParse(address, out string host, out int port);
        SocketAddress? one = null;
        string? fault = "no address of the family of Listen";
        try
        {
            IPAddress[] found = await Dns.GetHostAddressesAsync(host, cancellationToken).ConfigureAwait(false);
            if (Array.Find(found, socket.Reaches) is { } reached)
            {
                one = socket.ToSocketAddress(reached, port);
                fault = null;
            }
        }
        catch (SocketException refusal)
        {
            fault = refusal.Message;
        }
        if (fault is not null && fault != _faults.GetValueOrDefault(address))
        {
            string name = plan.Map.NameOf(site);
            log.Post(logger => Log.AddressUnknown(logger, address, name, fault));
        }
        _faults[address] = fault;
        return one;
    }
}
