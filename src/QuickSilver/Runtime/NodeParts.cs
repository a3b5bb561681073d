using QuickSilver.Diagnostics;
using QuickSilver.Inboxes.Shared;
using QuickSilver.Loop;
using QuickSilver.Membership;
using QuickSilver.Protocol.Core;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>
/// The parts of one node, with their start and end. The end is one task for all causes: it drains the node, and stops
/// the core thread. If the thread does not stop in time, the task ends all handles from outside. Any thread.
/// </summary>
internal sealed class NodeParts
{
    private static readonly TimeSpan LinkGrace = TimeSpan.FromSeconds(1);

    private readonly CoreThread _thread;
    private readonly TcpMembershipLink _link;
    private readonly TransportChoice _choice;
    private readonly AddressMonitor? _addresses;
    private NodeMeter? _meter;

    /// <summary>Takes over parts that have not started.</summary>
    public NodeParts(
        NodeServices services,
        NodeLifecycle lifecycle,
        NodeCore core,
        CoreThread thread,
        TcpMembershipLink link,
        TransportChoice choice,
        AddressMonitor? addresses)
    {
        Services = services;
        Lifecycle = lifecycle;
        Core = core;
        _thread = thread;
        _link = link;
        _choice = choice;
        _addresses = addresses;
    }

    /// <summary>The services shared between threads.</summary>
    public NodeServices Services { get; }

    /// <summary>The state of the node.</summary>
    public NodeLifecycle Lifecycle { get; }

    /// <summary>The core of the node, for its thread.</summary>
    public NodeCore Core { get; }

    /// <summary>The membership host of this process; null when another process serves.</summary>
    public MembershipHost? Host => _link.Host;

    /// <summary>Takes another list of servers. Any thread.</summary>
    /// <param name="changed">The node's options with that list, validated.</param>
    /// <returns>False where no list is looked at.</returns>
    public bool TryChangeServers(MembershipOptions changed)
    {
        if (!_link.TryChangeServers(changed.ParseServers())) return false;
        Services.Options.Membership.ChangeServers(changed.Servers);
        Services.Log.Post(
            (Services.Name, Servers: string.Join(", ", changed.Servers)),
            static (logger, s) => Log.ServersChanged(logger, s.Name, s.Servers));
        return true;
    }

    /// <summary>Starts the threads and the task that ends them, then waits until the cluster has admitted the
    /// node.</summary>
    /// <param name="remaining">The time left for the start.</param>
    /// <param name="cancellationToken">Cancels the start, which stops the node.</param>
    public async Task StartAsync(TimeSpan remaining, CancellationToken cancellationToken)
    {
        QuickSilverOptions options = Services.Options;
        string carrier = Core.IsInMemory ? "memory" : _choice.Multicast ? "multicast" : "unicast";
        _meter = new NodeMeter(
            options.MeterFactory, Services.Name, carrier, () => Core.Statistics!.Read(), Services.Log);
        Core.Statistics!.Durations.Attach(_meter);
        Carrier chosen = Core.IsInMemory ? Carrier.InMemory : _choice.Multicast ? Carrier.Multicast : Carrier.Unicast;
        Services.Events.Post(new CarrierSelected(chosen, _choice.Reason));
        _thread.Start();
        _link.Start();
        _addresses?.Start();
        _ = EndAsync();
        try
        {
            Task<string> untrusted = Lifecycle.Reporter.Untrusted;
            await WaitAsync(Task.WhenAny(Lifecycle.Registered, untrusted), remaining, cancellationToken)
                .ConfigureAwait(false);
            if (Lifecycle.Registered.IsCompleted) await Lifecycle.Registered.ConfigureAwait(false);
            else
                throw new MembershipUnavailableException(
                    ErrorCode.AuthenticationFailed,
                    $"The node and the membership server do not trust each other: "
                    + $"{await untrusted.ConfigureAwait(false)}.");
        }
        catch (Exception failure)
        {
            // Read before the stop, which closes the connection and would look like trouble.
            string trouble = DescribeSearch();
            string remedy = Remedy(
                options.Membership, Lifecycle.Reporter.IsServerSilent, isOwn: _link.Host is not null);
            Lifecycle.Stop(null);
            await Lifecycle.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (failure is OperationCanceledException && cancellationToken.IsCancellationRequested)
                throw new OperationCanceledException(
                    $"The start was cancelled. No membership server had admitted the node: {trouble}.",
                    cancellationToken);
            if (failure is not TimeoutException) throw;
            throw new MembershipUnavailableException(
                ErrorCode.MembershipUnreachable,
                $"No membership server admitted this node within Membership.JoinTimeout "
                + $"({options.Membership.JoinTimeout}): {trouble}. "
                + remedy);
        }
        Services.Log.Post(
            (Services.Name, Id: Lifecycle.Id, options.ClusterName, Choice: _choice, carrier),
            static (logger, s) =>
                Log.NodeStarted(
                    logger, s.Name, s.Id.ToString(), s.ClusterName, $"{s.carrier} ({s.Choice.Implementation})",
                    s.Choice.InterfaceName));
    }

    // A start that fails ends the server of this process with it, which others need: then it goes on instead.
    private async Task WaitAsync(Task admitted, TimeSpan remaining, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                await admitted.WaitAsync(Max(remaining, TimeSpan.Zero), cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (TimeoutException) when (Core.OthersServed > 0)
            {
                Services.OnOwnCallLate("start", $"no admission yet: {DescribeSearch()}.", Core.OthersServed);
                remaining = Services.Options.Membership.JoinTimeout;
            }
        }
    }

    private string DescribeSearch()
    {
        string last = Lifecycle.Reporter.DescribeSearch();
        if (_link.DescribeTries() is not { } tries) return last;
        return tries.Contains(last, StringComparison.Ordinal) ? tries : $"{last}. Tried: {tries}";
    }

    private async Task EndAsync()
    {
        QuickSilverException? reason = await Lifecycle.Stopping.ConfigureAwait(false);
        try
        {
            await EndPartsAsync(reason).ConfigureAwait(false);
        }
        finally
        {
            HeapShares.Leave();
            Lifecycle.Complete();
        }
    }

    private async Task EndPartsAsync(QuickSilverException? reason)
    {
        Instant deadline = Services.Clock.Now + Services.Options.Shutdown.Timeout;
        try
        {
            if (reason is null) await DrainAsync().ConfigureAwait(false);
        }
        finally
        {
            _thread.RequestStop();
        }
        if (!await EndsByAsync(_thread.Ended, deadline - Services.Clock.Now).ConfigureAwait(false))
        {
            Services.Log.Post(
                (Services.Name, Services.Options.Shutdown.Timeout, Services.UserCode.Present),
                static (logger, s) => Log.ShutdownTimedOut(
                    logger, s.Name, s.Timeout, s.Present));
            Services.Requests.Close();
            Services.Inboxes.Returns.Close();
        }
        foreach (GroupHandle handle in Services.Handles()) handle.Abandon(reason);
        foreach (SharedInbox inbox in Services.Inboxes.Shared()) inbox.SetEnd(reason);
        if (_addresses is not null)
            await EndsByAsync(_addresses.DisposeAsync().AsTask(), LinkGrace).ConfigureAwait(false);
        await EndsByAsync(
            _link.DisposeAsync().AsTask(), Max(deadline - Services.Clock.Now, LinkGrace)).ConfigureAwait(false);
        _meter?.Dispose();
        Services.UserCode.Dispose();
        Lifecycle.OnStopped();
        await EndsByAsync(Services.Log.FlushAsync(), LinkGrace).ConfigureAwait(false);
    }

    private static string Remedy(MembershipOptions options, bool isServerSilent, bool isOwn)
    {
        if (isOwn)
        {
            return "This process serves the membership itself, and its threads did not answer its own node in time: "
                + "they may get too little processor time. Raise Membership.JoinTimeout.";
        }
        if (options is { Mode: MembershipMode.Client, Announces: true, Servers.Count: 0 })
        {
            return "Start a node with Membership.Mode = Host and Membership.Discovery.Multicast = true, and the same "
                + "ClusterName and key, on this network. Where the network does not carry multicast, name the host in "
                + "Membership.Servers.";
        }
        if (options.Mode == MembershipMode.Client)
        {
            return "Start a node with Membership.Mode = Host at one of Membership.Servers "
                + $"({string.Join(", ", options.Servers)}), "
                + "or correct the list, host and port; a firewall must let TCP through to it.";
        }
        if (options.Mode == MembershipMode.Elected)
        {
            return $"The nodes of the cluster elect their server by {options.Election!.Describe()}: make sure that "
                + "this node reaches it, and the server that it names; a firewall must let TCP through to both.";
        }
        if (options.Mode == MembershipMode.Peers)
        {
            return "The nodes of the cluster elect their server: make sure that this node reaches those at "
                + $"Membership.Servers ({string.Join(", ", options.Servers)}), and they reach it; a firewall must let "
                + "TCP through in both directions.";
        }
        string other = "choose another port by Membership.Port, the same for all nodes of the cluster";
        return isServerSilent
            ? $"The process that has port {options.Port} may have been stopped, by a debugger or a signal: "
                + "resume or end it. "
                + $"If it is none of yours, {other}."
            : $"Something other than a membership server may be using port {options.Port}: {other}.";
    }

    // Waits, within the drain timeout, until every member holds the messages already sent.
    private async Task DrainAsync()
    {
        foreach (GroupHandle handle in Services.Handles()) handle.TryEnd(null);
        var flush = new CountdownFlush();
        bool isPosted = Services.TryPost(now => Core.Directory.Flush(flush, now));
        if (!isPosted || await Services.Drains.WaitAsync(flush.Task).ConfigureAwait(false)) return;
        string awaited = await Services.AskAsync(Core.Directory.DescribeAwaited).ConfigureAwait(false);
        Services.OnDrainTimedOut("the node stopped", awaited);
    }

    private static async Task<bool> EndsByAsync(Task task, TimeSpan limit)
    {
        if (limit < TimeSpan.Zero) limit = TimeSpan.Zero;
        await task.WaitAsync(limit).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return task.IsCompleted;
    }

    private static TimeSpan Max(TimeSpan left, TimeSpan right) => left > right ? left : right;
}
