using System.Net;
using System.Net.Sockets;

namespace QuickSilver.WideArea;

/// <summary>Resolves the addresses of neighbours: at the start, and every five seconds while a link is not up. Its task
/// runs on pool threads.</summary>
/// <param name="plan">Who they are.</param>
/// <param name="socket">Sends to them.</param>
/// <param name="isUp">Whether the link to a site is up.</param>
/// <param name="log">The log.</param>
internal sealed class AddressBook(GatewayPlan plan, GatewaySocket socket, Func<string, bool> isUp, GatewayLog log)
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(5);

    private readonly SocketAddress?[] _found = new SocketAddress?[plan.Map.Count];
    private readonly string?[] _faults = new string?[plan.Map.Count];

    /// <summary>Where a neighbour is; null while that is not known. Any thread.</summary>
    public SocketAddress? Of(int site) => Volatile.Read(ref _found[site]);

    /// <summary>Resolves all of them.</summary>
    public async Task ResolveAsync(CancellationToken cancellationToken)
    {
        for (int site = 0; site < plan.Map.Count; site++)
        {
            if (plan.Addresses[site] is { } address)
                await ResolveAsync(site, address, cancellationToken).ConfigureAwait(false);
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
                    if (plan.Addresses[site] is not { } address || isUp(plan.Map.NameOf(site))) continue;
                    await ResolveAsync(site, address, cancellationToken).ConfigureAwait(false);
                }
            }
        }
        catch (OperationCanceledException)
        {
            return;
        }
    }

    private async Task ResolveAsync(int site, string address, CancellationToken cancellationToken)
    {
        _ = SiteAddress.TryParse(address, out string host, out int port);
        string? fault = "no address of the family of Listen";
        try
        {
            IPAddress[] found = await Dns.GetHostAddressesAsync(host, cancellationToken).ConfigureAwait(false);
            if (Array.Find(found, socket.Reaches) is { } one)
            {
                Volatile.Write(ref _found[site], socket.ToSocketAddress(one, port));
                fault = null;
            }
        }
        catch (SocketException refusal)
        {
            fault = refusal.Message;
        }
        if (fault is not null && fault != _faults[site])
        {
            string name = plan.Map.NameOf(site);
            log.Post(logger => Log.AddressUnknown(logger, address, name, fault));
        }
        _faults[site] = fault;
    }
}
