using System.Diagnostics;
using System.Net;
using QuickSilver.Membership;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>
/// Looks once a second whether the address that a node speaks by is still the machine's. When it has gone (DHCP gave another, an interface was taken
/// away) it finds the node a new one: what the options name, the same interface's, or the one by which a server is reached now. The core then goes on
/// there as a new incarnation. It also finds another when the server refuses the node for an address that is not the connection's.
/// <para>
/// Cost: two or three system calls a second on a pool thread; nothing for nodes of loopback, whose address never changes.
/// </para>
/// </summary>
/// <param name="core">The node's.</param>
/// <param name="opening">What it was started with.</param>
/// <param name="link">Its way to the server.</param>
internal sealed class AddressMonitor(NodeCore core, NodeOpening opening, TcpMembershipLink link) : IAsyncDisposable
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan SayAgain = TimeSpan.FromMinutes(1);

    // An interface that goes away and comes back is the same to the node; another is taken when it stays away.
    private static readonly TimeSpan OtherInterfaceAfter = TimeSpan.FromSeconds(5);

    private readonly CancellationTokenSource _stop = new();
    private readonly SemaphoreSlim _looking = new(1);
    private Task _running = Task.CompletedTask;
    private long _goneSince;
    private long _saidAt;

    /// <summary>Whether a node's address can change.</summary>
    public static bool IsNeeded(NodeOpening opening) =>
        opening.Settings.Carrier != CarrierPreference.InProcess && !IPAddress.IsLoopback(opening.Transport.Choice.InterfaceAddress);

    /// <summary>Begins. Once.</summary>
    public void Start()
    {
        using (ExecutionContext.SuppressFlow()) _running = Task.Run(RunAsync);
    }

    /// <summary>The server has refused the node for its address. Core thread; returns at once.</summary>
    /// <param name="done">Told, on a pool thread, when nothing better was found; otherwise the core moves.</param>
    public void LookForOther(Action done) => _ = Task.Run(async () =>
    {
        NetworkPlace? found = null;
        await _looking.WaitAsync().ConfigureAwait(false);
        try
        {
            found = FindOfConnection();
        }
        catch (TransportException)
        {
            // The list cannot be read now: the node comes again.
        }
        finally
        {
            _looking.Release();
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
            if (_stop.IsCancellationRequested || !_looking.Wait(0)) continue;
            try
            {
                await LookAsync().ConfigureAwait(false);
            }
            finally
            {
                _looking.Release();
            }
        }
    }

    private async Task LookAsync()
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
            NetworkChoice? found = NetworkChoice.FindAgain(settings, core.Transport.Choice.InterfaceName);
            bool isOther = found is not null && settings.Interface is null && found.Name != core.Transport.Choice.InterfaceName;
            if (found is null) Say("it has no IPv4 address now");
            else if (!isOther || Stopwatch.GetElapsedTime(_goneSince) >= OtherInterfaceAfter) Move(ToPlace(found));
        }
        catch (TransportException refusal)
        {
            Say(refusal.Message);
        }
    }

    // The address that the connection comes from, where the options leave the choice.
    private NetworkPlace? FindOfConnection()
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

    private void Say(string what)
    {
        long now = Stopwatch.GetTimestamp();
        if (_saidAt != 0 && Stopwatch.GetElapsedTime(_saidAt, now) < SayAgain) return;
        _saidAt = now;
        opening.Reporter.OnInterfaceAwaited($"the address {Present} of {core.Transport.Choice.InterfaceName} is gone; {what}");
    }
}
