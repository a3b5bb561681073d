using System.Diagnostics;
using System.Net;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Diagnostics;
using QuickSilver.Membership;
using QuickSilver.Membership.Discovery;
using QuickSilver.Membership.Election;
using QuickSilver.Membership.Peers;
using QuickSilver.Protocol.Membership.Discovery;
using QuickSilver.Security;
using QuickSilver.Testing;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>
/// Acquires a node's resources: chooses its interface, opens sockets there, and starts a membership server if the node
/// hosts one. Interfaces come and go: a start that fails for lack of one is retried within the time of the start. An
/// interface never seen since the start began is more likely a mistake, and is awaited for a shorter time.
/// </summary>
internal static class NodeOpener
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan UnseenTimeout = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan ResolveTimeout = TimeSpan.FromSeconds(2);
    private const int SharedPorts = 64;
    private static int _nodes;

    /// <summary>Opens the sockets and the way to the membership. Blocks for up to half a second to probe sockets: call
    /// on a pool thread.</summary>
    /// <param name="options">The node's own copy of its options, validated.</param>
    /// <param name="cancellationToken">Cancels the wait for an interface.</param>
    /// <exception cref="QuickSilverException">The interface, port or multicast is unavailable, or the server's endpoint
    /// is.</exception>
    public static async Task<NodeOpening> OpenAsync(QuickSilverOptions options, CancellationToken cancellationToken)
    {
        CryptoLibrary.ThrowIfMissing();
        string name = options.NodeName
            ?? $"{Environment.MachineName}-{Environment.ProcessId}-{Interlocked.Increment(ref _nodes)}";
        var log = new NodeLog(options.LoggerFactory ?? DefaultLoggers(options), name);
        var reporter = new NodeReporter(log);
        long begun = Stopwatch.GetTimestamp();
        options.Protection = Protect(options, reporter);
        bool wasSeen = false;
        string reported = "";
        while (true)
        {
            IHostTransport? transport = null;
            try
            {
                IReadOnlyList<IPAddress> servers = await FindServersAsync(
                    options, cancellationToken).ConfigureAwait(false);
                TransportSettings settings = OptionSettings.ToTransport(options) with { Servers = servers };
                transport = OpenTransport(options, settings, reporter);
                ThrowIfOfOtherFamily(options, transport);
                MembershipConnector connector = await OpenConnectorAsync(
                    options, transport, name, reporter).ConfigureAwait(false);
                connector.NodeAddress = transport.Choice.InterfaceAddress;
                return new NodeOpening(options, name, log, reporter, settings, transport, connector, begun);
            }
            catch (TransportException refusal)
            {
                transport?.Dispose();
                wasSeen |= refusal.MayPass;
                TimeSpan limit = options.Membership.JoinTimeout;
                if (!wasSeen && limit > UnseenTimeout) limit = UnseenTimeout;
                TimeSpan spent = Stopwatch.GetElapsedTime(begun);
                if (!IsOfInterface(refusal) || spent >= limit) throw ToPublic(refusal, spent);
                if (refusal.Message != reported) reporter.OnInterfaceAwaited(reported = refusal.Message);
            }
            catch
            {
                transport?.Dispose();
                throw;
            }
            await PauseAsync(reported, cancellationToken).ConfigureAwait(false);
        }
    }

    // The servers of names may change; addresses never do.
    private static void ThrowIfOfOtherFamily(QuickSilverOptions options, IHostTransport transport)
    {
        if (options.Membership.Mode != MembershipMode.Client || options.Membership.Servers.Count == 0) return;
        IPAddress own = transport.Choice.InterfaceAddress;
        if (IPAddress.IsLoopback(own)) return;
        foreach ((string host, int _) in options.Membership.ParseServers())
        {
            if (!IPAddress.TryParse(host, out IPAddress? server)) return;
            if (server.AddressFamily == own.AddressFamily || IPAddress.IsLoopback(server)) return;
        }
        throw new QuickSilverException(
            ErrorCode.AddressFamilyMismatch,
            $"This node's address {own} on {transport.Choice.InterfaceName} and those of Membership.Servers "
            + $"({string.Join(", ", options.Membership.Servers)}) are of different families, IPv4 and IPv6: "
            + "choose another Transport.Interface, or give the server's address of the other family.");
    }

    // Nodes that meet in memory are those of tests.
    private static ILoggerFactory DefaultLoggers(QuickSilverOptions options) =>
        options.Transport.Kind == TransportKind.InMemory ? NullLoggerFactory.Instance : StandardErrorLog.Instance;

    private static SecurityPlan Protect(QuickSilverOptions options, NodeReporter reporter)
    {
        if (SecurityPlan.TryMake(options, reporter.OnKeyUnreadable, out string? fault) is not { } plan)
            throw new QuickSilverException(ErrorCode.AuthenticationFailed, $"{fault}.");
        if (plan.IsOn) options.Crypto = new CipherSuite(CipherChoice.Of(options.Security, reporter.OnLesserCipher));
        reporter.OnProtection(plan, options.Crypto?.Ciphers ?? default);
        return plan;
    }

    /// <summary>Finds the addresses of the servers in the options, from which the node's interface is derived. Names
    /// that do not resolve in time are left out. Empty when the options give the address or network of the interface. A
    /// host's own addresses come first; of a client, those of the family that answers.</summary>
    public static async Task<IReadOnlyList<IPAddress>> FindServersAsync(
        QuickSilverOptions options, CancellationToken cancellationToken)
    {
        if (options.Membership.Mode == MembershipMode.Loopback) return [];
        if (options.Transport.Interface is { } text && IsAddress(text)) return [];
        (IPAddress[] Addresses, string Failure)[] all = await Task.WhenAll(
            options.Membership.ParseServers()
                .Select(server => HostAddresses.FindAsync(server.Host, ResolveTimeout, cancellationToken).AsTask()))
            .ConfigureAwait(false);
        IEnumerable<IPAddress> found = all.SelectMany(static one => one.Addresses);
        if (options.Membership.Mode == MembershipMode.Host)
            return [.. found.OrderBy(static one => !NetworkList.IsPresent(one))];
        IEnumerable<(int Port, IPAddress[] Addresses)> places =
            options.Membership.ParseServers().Zip(all, static (server, one) => (server.Port, one.Addresses));
        return await FamilyProbe.OrderAsync([.. places], cancellationToken).ConfigureAwait(false);
    }

    private static bool IsAddress(string text) =>
        InterfaceSelector.TryParse(text, out InterfaceSelector wish) is null && !wish.IsName;

    private static bool IsOfInterface(TransportException refusal) =>
        refusal.Failure == TransportFailure.InterfaceUnavailable
        && (refusal.InnerException is not { } inner || !NetworkList.IsForWantOfDescriptors(inner));

    private static QuickSilverException ToPublic(TransportException refusal, TimeSpan spent)
    {
        ErrorCode code = refusal.Failure switch
        {
            TransportFailure.PortsExhausted => ErrorCode.PortsExhausted,
            TransportFailure.MulticastUnavailable => ErrorCode.MulticastUnavailable,
            _ => ErrorCode.InterfaceUnavailable,
        };
        string tried = spent > Pause ? $" (tried for {spent.TotalSeconds:0.0} s)" : "";
        return new QuickSilverException(code, refusal.Message + tried, refusal);
    }

    private static async Task PauseAsync(string trouble, CancellationToken cancellationToken)
    {
        try
        {
            await Task.Delay(Pause, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            throw new OperationCanceledException(
                $"The start was cancelled. It waited for a network interface: {trouble}", cancellationToken);
        }
    }

    private static IHostTransport OpenTransport(
        QuickSilverOptions options, TransportSettings settings, NodeReporter reporter)
    {
        IHostTransport transport = TransportFactory.Start(settings, reporter);
        if (options.Faults is not { Any: true } faults) return transport;
        if (faults.Switch is { } given) given.Sources = [transport.Facts.Control, transport.Facts.Data];
        return new FaultInjector(
            transport, faults.DropReceived, faults.Seed, faults.DeafEvery, faults.DeafFor, faults.Switch);
    }

    private static async Task<MembershipConnector> OpenConnectorAsync(
        QuickSilverOptions options, IHostTransport transport, string node, NodeReporter reporter)
    {
        ServerDiscovery? discovery = DiscoveryOpener.Open(options, transport, reporter);
        try
        {
            return await OpenConnectorAsync(options, transport, node, reporter, discovery).ConfigureAwait(false);
        }
        catch
        {
            if (discovery is not null) await discovery.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static async Task<MembershipConnector> OpenConnectorAsync(
        QuickSilverOptions options, IHostTransport transport, string node, NodeReporter reporter,
        ServerDiscovery? discovery)
    {
        MembershipOptions membership = options.Membership;
        switch (membership.Mode)
        {
            case MembershipMode.Client:
                return new ServerListConnector(options.Membership.ParseServers(), options.Protection.Channel)
                {
                    Discovery = discovery,
                };
            case MembershipMode.Elected or MembershipMode.Peers:
                return Elected(options, transport, node, reporter, discovery);
            case MembershipMode.Host:
                return await HostAsync(options, transport, reporter, discovery).ConfigureAwait(false);
            default:
                var endpoint = new IPEndPoint(IPAddress.Loopback, membership.Port);
                MembershipHostSettings own = OptionSettings.ToHost(options, transport.Facts, endpoint);
                if (options.Transport.Kind != TransportKind.InMemory)
                    return new LoopbackConnector(own, reporter, LocalPorts(options), options.Protection.IsOfUser);
                return options.Faults?.Switch is { } given
                    ? new SwitchedConnector(new InMemoryConnector(own with { Clock = given.Clock }, reporter), given)
                    : new InMemoryConnector(own, reporter);
        }
    }

    // A port that was chosen is meant; only the well-known one and those below it are shared by clusters.
    private static int LocalPorts(QuickSilverOptions options) =>
        options.Membership.Port == MembershipOptions.DefaultPort ? SharedPorts : 1;

    private static async Task<MembershipConnector> HostAsync(
        QuickSilverOptions options, IHostTransport transport, NodeReporter reporter, ServerDiscovery? discovery)
    {
        List<(string Host, int Port)> servers = options.Membership.ParseServers();
        var endpoint = new IPEndPoint(ListenAddress(options, transport), options.Membership.Port);
        var claim = new HostClaim(options.ClusterName, serves: servers.Count == 0 && discovery is null);
        MembershipHostSettings settings = OptionSettings.ToHost(options, transport.Facts, endpoint);
        settings = settings with { Claim = claim };
        if (MembershipHost.TryStart(settings, reporter, out string refusal) is not { } started)
        {
            if (!NetworkList.IsPresent(endpoint.Address))
            {
                string text = $"The membership cannot be served at {refusal}.";
                throw new TransportException(TransportFailure.InterfaceUnavailable, text) { MayPass = true };
            }
            throw new MembershipUnavailableException(
                ErrorCode.MembershipUnreachable,
                $"The membership cannot be served at {endpoint}: "
                + $"{(refusal.Length > 0 ? refusal : "another node or process has that port")}. "
                + "One node of a cluster hosts and the others are its clients (Membership.Mode = Client): "
                + "end the other one, or choose another Membership.Port.");
        }
        IPAddress own = transport.Choice.InterfaceAddress;
        discovery?.Announce(() => OwnAnnouncement.Of(started, AnnouncementKind.Candidate, own));
        var rivals = new RivalServerMonitor(
            claim, servers, () => started.Nodes, reporter, settings.Security, discovery);
        if (await rivals.DecideAsync().ConfigureAwait(false) is { } place)
        {
            await started.DisposeAsync().ConfigureAwait(false);
            throw new MembershipUnavailableException(
                ErrorCode.AnotherHost,
                $"Another host serves the cluster '{options.ClusterName}' at {place}, which Membership.Servers or "
                + "discovery names: two hosts would be two clusters of one name. Start this one when that has ended, "
                + "or as a client of it (Membership.Mode = Client).");
        }
        rivals.Start();
        var connector = new HostConnector(started, settings, reporter, rivals) { Discovery = discovery };
        connector.NodeAddress = own;
        discovery?.Announce(() => connector.Own);
        return connector;
    }

    private static ElectedConnector Elected(
        QuickSilverOptions options, IHostTransport transport, string node, NodeReporter reporter,
        ServerDiscovery? discovery)
    {
        MembershipOptions membership = options.Membership;
        IPAddress listens = ListenAddress(options, transport);
        var endpoint = new IPEndPoint(listens, membership.Port);
        MembershipHostSettings settings = OptionSettings.ToHost(options, transport.Facts, endpoint);
        IPAddress announced = MembershipHost.IsAll(listens) ? transport.Choice.InterfaceAddress : listens;
        PeerElection? peers = membership.Mode != MembershipMode.Peers
            ? null
            : new PeerElection(
                OptionSettings.ToPeers(options, node), new IPEndPoint(announced, 0), discovery, reporter);
        (IMembershipElection election, bool isOwn) = peers is null ? membership.TakeElection() : (peers, true);
        var connector = new ElectedConnector(election, settings, announced, node, reporter, isOwn)
        {
            Discovery = discovery,
        };
        if (peers is not null) peers.Members = () => connector.Host?.Nodes ?? 0;
        discovery?.Announce(() => connector.Own);
        return connector;
    }

    // With a configured interface the server listens there; otherwise it listens on all addresses.
    private static IPAddress ListenAddress(QuickSilverOptions options, IHostTransport transport)
    {
        if (options.Membership.Address is not { } text)
        {
            return options.Transport.Interface is null
                ? MembershipHost.AllAddresses
                : transport.Choice.InterfaceAddress;
        }
        _ = InterfaceSelector.TryParse(text, out InterfaceSelector wish);
        if (wish.Address is { } address) return address;
        return NetworkChoice.Find(new TransportSettings { Interface = text, Loopback = false }).Address;
    }
}
