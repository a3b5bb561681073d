using System.Net;
using System.Net.Sockets;
using QuickSilver.Security;
using QuickSilver.WideArea.Diagnostics;

namespace QuickSilver.WideArea.Links;

/// <summary>
/// Makes connections to the gateways of neighbours whose links are down, each half second: to all of their addresses,
/// for only the one that is active takes a connection. Of two sites with addresses of each other that with the lower
/// name calls. The other one calls as well once it had no connection for two seconds: so it is enough that one of them
/// may reach the other. Its task runs on pool threads.
/// </summary>
/// <param name="plan">Who they are.</param>
/// <param name="carrier">Gets the connections.</param>
/// <param name="addresses">Where they are.</param>
/// <param name="certificates">The certificate of this gateway, and its authorities.</param>
/// <param name="isUp">Whether the link to a site is up.</param>
/// <param name="log">The log.</param>
internal sealed class StreamDialer(
    GatewayPlan plan, StreamCarrier carrier, AddressBook addresses, CertificateSource certificates,
    Func<string, bool> isUp, GatewayLog log)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(500);
    private static readonly long Waits = (long)TimeSpan.FromSeconds(2).TotalMilliseconds;

    private readonly Dictionary<int, long> _aloneSince = [];
    private readonly Dictionary<string, Task> _calls = [];
    private readonly Dictionary<string, string> _faults = [];

    /// <summary>Calls until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            await Task.Delay(Pause, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (cancellationToken.IsCancellationRequested) break;
            foreach (StreamPeer peer in plan.Streams)
            {
                if (IsToCall(peer)) Call(peer, cancellationToken);
            }
        }
        await Task.WhenAll(_calls.Values).ConfigureAwait(false);
    }

    private bool IsToCall(StreamPeer peer)
    {
        if (!carrier.HasLoop || isUp(peer.Name) || (plan.Site > peer.Site && carrier.HasOf(peer.Site)))
        {
            _aloneSince.Remove(peer.Site);
            return false;
        }
        if (plan.Site < peer.Site) return true;
        long now = Environment.TickCount64;
        _aloneSince.TryAdd(peer.Site, now);
        return now - _aloneSince[peer.Site] >= Waits;
    }

    private void Call(StreamPeer peer, CancellationToken stop)
    {
        SocketAddress[] known = addresses.Of(peer.Site);
        foreach (SocketAddress address in known)
        {
            var end = (IPEndPoint)new IPEndPoint(
                address.Family == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Any : IPAddress.Any, 0).Create(address);
            string name = end.ToString();
            if (carrier.Has(name) || (_calls.TryGetValue(name, out Task? before) && !before.IsCompleted)) continue;
            _calls[name] = Task.Run(() => CallAsync(peer, end, name, known.Length > 1, stop), CancellationToken.None);
        }
    }

    private async Task CallAsync(StreamPeer peer, IPEndPoint end, string name, bool hasOthers, CancellationToken stop)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(StreamListener.HandshakeTime);
        var socket = new Socket(end.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        string? fault = null;
        bool isAdopted = false;
        try
        {
            StreamConnection.Prepare(socket);
            await socket.ConnectAsync(end, limit.Token).ConfigureAwait(false);
            var channel = new GatewayChannel(certificates, [peer]);
            SecuredStream secured = await channel
                .OpenAsNodeAsync(socket, end.Address.ToString(), limit.Token).ConfigureAwait(false);
            isAdopted = true;
            await carrier.AdoptAsync(socket, secured, channel.Sites, name, name).ConfigureAwait(false);
        }
        catch (HandshakeException refusal)
        {
            // A gateway that stands by ends a connection, and says nothing.
            fault = hasOthers && refusal.Fault == HandshakeFault.Ended ? null : refusal.Message;
        }
        catch (SocketException refusal)
        {
            fault = refusal.Message;
        }
        catch (OperationCanceledException)
        {
            fault = $"there is no answer within {StreamListener.HandshakeTime.TotalSeconds:0} s";
        }
        finally
        {
            if (!isAdopted) socket.Dispose();
        }
        if (!stop.IsCancellationRequested) Tell(peer, name, fault);
    }

    // Each reason once, until a connection stands.
    private void Tell(StreamPeer peer, string address, string? fault)
    {
        lock (_faults)
        {
            if (fault is null)
            {
                _faults.Remove(address);
                return;
            }
            if (_faults.GetValueOrDefault(address) == fault) return;
            _faults[address] = fault;
        }
        string own = plan.Map.NameOf(plan.Site);
        log.Post(logger => Log.CannotConnect(logger, own, address, peer.Name, fault));
    }
}
