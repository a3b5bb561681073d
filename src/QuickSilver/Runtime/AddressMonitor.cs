using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>
/// Checks once a second that the machine still has the node's address. When the address is gone (a new DHCP lease, an
/// interface taken away), the monitor chooses a new one. Candidates are the address in the options, one of the same
/// interface, or the one by which a server is reachable. The core then continues there as a new incarnation. The
/// monitor also chooses another address when the server refuses the node because its address is not the connection's.
/// <para>
/// Cost: two or three system calls a second on a pool thread; nothing for nodes of loopback, whose address never
/// changes.
/// </para>
/// </summary>
/// <param name="core">The node that moves.</param>
/// <param name="opening">The options, settings and connector of the start.</param>
/// <param name="link">The connection whose local address is a candidate.</param>
internal sealed class AddressMonitor(NodeCore core, NodeOpening opening, TcpMembershipLink link) : IAsyncDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan RepeatInterval = TimeSpan.FromMinutes(1);

    // An interface that returns within this time keeps the node; after it, the node takes another interface.
    private static readonly TimeSpan OtherInterfaceAfter = TimeSpan.FromSeconds(5);

    private readonly CancellationTokenSource _stop = new();
    private readonly SemaphoreSlim _search = new(1);
    private Task _running = Task.CompletedTask;
    private long _goneSince;
    private long _reportedAt;

    /// <summary>Whether a node's address can change.</summary>
    public static bool IsNeeded(NodeOpening opening) =>
        opening.Settings.Carrier != CarrierPreference.InProcess
            && !IPAddress.IsLoopback(opening.Transport.Choice.InterfaceAddress);

    /// <summary>Starts the checks. Call once.</summary>
    public void Start()
    {
        using (ExecutionContext.SuppressFlow()) _running = Task.Run(RunAsync);
    }

    /// <summary>Looks for another address after the server refused this one. Core thread; returns at once.</summary>
    /// <param name="done">Called on a pool thread when there is no better address; otherwise the core moves.</param>
    public void LookForOther(Action done) => _ = Task.Run(async () =>
    {
        NetworkPlace? found = null;
        await _search.WaitAsync().ConfigureAwait(false);
        try
        {
            found = FindForConnection();
        }
        catch (TransportException)
        {
            // The list of interfaces is unreadable now: the node tries again later.
        }
        finally
        {
            _search.Release();
        }
        if (found is null) done();
        else Move(found);
    });

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(false);
    }

    private IPAddress Present => core.Transport.Choice.InterfaceAddress;

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            await Task.Delay(Interval, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stop.IsCancellationRequested || !_search.Wait(0)) continue;
            try
            {
                await CheckAsync().ConfigureAwait(false);
            }
            finally
            {
                _search.Release();
            }
        }
    }

    private async Task CheckAsync()
    {
        if (NetworkList.IsPresent(Present))
        {
            _goneSince = 0;
            return;
        }
        if (_goneSince == 0) _goneSince = Stopwatch.GetTimestamp();
        try
        {
            TransportSettings settings = opening.Settings with
            {
                Servers = await NodeOpener.FindServersAsync(opening.Options, _stop.Token).ConfigureAwait(false),
            };
            NetworkChoice? found = NetworkChoice.FindAgain(
                settings, core.Transport.Choice.InterfaceName, Present.AddressFamily == AddressFamily.InterNetworkV6);
            bool isOther = found is not null
                && settings.Interface is null
                && found.Name != core.Transport.Choice.InterfaceName;
            if (found is null) Report("it has no address now that the servers can be reached from");
            else if (!isOther || Stopwatch.GetElapsedTime(_goneSince) >= OtherInterfaceAfter) Move(ToPlace(found));
        }
        catch (TransportException refusal)
        {
            Report(refusal.Message);
        }
    }

    // The local address of the connection, where the options permit it.
    private NetworkPlace? FindForConnection()
    {
        if (link.LocalAddress is not { } local || local.Equals(Present)) return null;
        NetworkChoice? choice = NetworkList.Read(out _).Find(item => item.Choice.Address.Equals(local)).Choice;
        if (choice is null) return null;
        if (opening.Settings.Interface is not { } text) return ToPlace(choice);
        _ = InterfaceSelector.TryParse(text, out InterfaceSelector wish);
        return wish.Fits(choice.Name, choice.Address) ? ToPlace(choice) : null;
    }

    private NetworkPlace ToPlace(NetworkChoice choice)
    {
        bool multicast = TransportFactory.CanMulticast(opening.Settings, choice, out string reason);
        return new NetworkPlace(choice, multicast, reason);
    }

    private void Move(NetworkPlace place)
    {
        opening.Connector.OnAddressChanged(Present, place.Network.Address);
        core.Services.TryPost(now => core.MoveTo(place, now));
    }

    private void Report(string what)
    {
        long now = Stopwatch.GetTimestamp();
        if (_reportedAt != 0 && Stopwatch.GetElapsedTime(_reportedAt, now) < RepeatInterval) return;
        _reportedAt = now;
        opening.Reporter.OnInterfaceAwaited(
            $"the address {Present} of {core.Transport.Choice.InterfaceName} is gone; {what}");
    }
}
