using System.Buffers.Binary;
using System.Net;
using System.Security.Cryptography;
using QuickSilver.Diagnostics;
using QuickSilver.Loop;
using QuickSilver.Membership;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>Builds the parts of a node out of its options: sockets, protocol, core thread, the way to the membership server. Nothing runs before
/// <see cref="NodeParts.StartAsync"/>.</summary>
internal static class NodeComposer
{
    private static readonly TimeSpan LeastTakeover = TimeSpan.FromSeconds(2);
    private static int _nodes;

    /// <summary>Builds a node. Opens sockets and probes them, up to half a second: for a pool thread.</summary>
    /// <param name="options">The node's own copy, valid.</param>
    /// <param name="raise">Raises an event.</param>
    /// <exception cref="QuickSilverException">No interface, port or multicast as asked for.</exception>
    public static NodeParts Compose(QuickSilverOptions options, Action<NodeEvent> raise)
    {
        HeapShares shares = HeapShares.Enter();
        options.Settle(shares);
        try
        {
            return ComposeSettled(options, raise);
        }
        catch
        {
            HeapShares.Leave();
            throw;
        }
    }

    private static NodeParts ComposeSettled(QuickSilverOptions options, Action<NodeEvent> raise)
    {
        string name = options.NodeName ?? $"{Environment.MachineName}-{Environment.ProcessId}-{Interlocked.Increment(ref _nodes)}";
        var log = new NodeLog(options.LoggerFactory, name);
        var events = new NodeEventQueue(log, raise);
        if (options.LimitsBytes > HeapShares.Heap)
        {
            log.Post((name, Sum: options.LimitsBytes, HeapShares.Heap), static (logger, s) => Log.LimitsExceedHeap(logger, s.name, s.Sum, s.Heap));
        }
        var reporter = new NodeReporter(log);
        IHostTransport transport = OpenTransport(options, reporter);
        try
        {
            return Compose(options, name, log, events, reporter, transport);
        }
        catch
        {
            transport.Dispose();
            throw;
        }
    }

    private static NodeParts Compose(
        QuickSilverOptions options, string name, NodeLog log, NodeEventQueue events, NodeReporter reporter, IHostTransport transport)
    {
        var clock = new MonotonicClock();
        var gate = new WakeGate(transport);
        var requests = new RequestQueue(gate);
        var services = new NodeServices(options, name, requests, clock, log, events);
        var lifecycle = new NodeLifecycle(name, log, events, reporter);
        var random = new SeededRandom(BinaryPrimitives.ReadUInt64LittleEndian(RandomNumberGenerator.GetBytes(sizeof(ulong))));
        var core = new NodeCore(services, lifecycle, ToNodeSettings(options, name), transport, new BufferPool(budget: ProcessMemory.Shared), random);
        var loop = new LoopTurn(new LoopParts(clock, requests, transport, core, core.Alarms, core), ToQuanta(options.Loop), core.Stalls);
        core.Statistics = new StatisticsCutter(core, lifecycle, loop.Statistics, clock.Now);
        var threadOptions = new CoreThreadOptions
        {
            Name = $"QuickSilver {name}",
            Spin = options.Loop.Spin ?? TimeSpan.Zero,
            Affinity = options.Loop.Affinity,
        };
        var thread = new CoreThread(loop, requests, transport, gate, clock, threadOptions, core);
        services.SetThread(thread);
        // The server answers heartbeats: a connection that is silent for the time in which a node would be removed is a dead one.
        var link = new TcpMembershipLink(FindConnector(options, transport, reporter), requests, core, reporter, options.Membership.FailureTimeout);
        core.Compose(link);
        return new NodeParts(services, lifecycle, core, thread, link, transport.Choice);
    }

    private static IHostTransport OpenTransport(QuickSilverOptions options, NodeReporter reporter)
    {
        IHostTransport transport;
        try
        {
            transport = TransportFactory.Start(ToTransportSettings(options), reporter);
        }
        catch (TransportException refusal)
        {
            ErrorCode code = refusal.Failure switch
            {
                TransportFailure.PortsExhausted => ErrorCode.PortsExhausted,
                TransportFailure.MulticastUnavailable => ErrorCode.MulticastUnavailable,
                _ => ErrorCode.InterfaceUnavailable,
            };
            throw new QuickSilverException(code, refusal.Message, refusal);
        }
        return options.Faults is { Any: true } faults
            ? new FaultInjector(transport, faults.DropReceived, faults.Seed, faults.DeafEvery, faults.DeafFor)
            : transport;
    }

    private static MembershipConnector FindConnector(QuickSilverOptions options, IHostTransport transport, NodeReporter reporter)
    {
        MembershipOptions membership = options.Membership;
        switch (membership.Mode)
        {
            case MembershipMode.Client:
                var servers = new List<(string Host, int Port)>();
                foreach (string server in membership.Servers)
                {
                    if (MembershipOptions.TryParseServer(server, out string host, out int port)) servers.Add((host, port));
                }
                return new ServerListConnector(servers);
            case MembershipMode.Host:
                var endpoint = new IPEndPoint(transport.Choice.InterfaceAddress, membership.Port);
                MembershipHostSettings settings = ToHostSettings(options, transport, endpoint);
                MembershipHost started = MembershipHost.TryStart(settings, reporter, out string refusal)
                    ?? throw new MembershipUnavailableException(
                        ErrorCode.MembershipUnreachable,
                        $"The membership cannot be served at {endpoint}: {(refusal.Length > 0 ? refusal : "another process has that port")}. "
                        + "One node of a cluster hosts and the others are its clients (Membership.Mode = Client): "
                        + "end the other process, or choose another Membership.Port.");
                return new HostConnector(started, settings, reporter);
            default:
                MembershipHostSettings own = ToHostSettings(options, transport, new IPEndPoint(IPAddress.Loopback, membership.Port));
                return options.Transport.Kind == TransportKind.InMemory ? new InMemoryConnector(own, reporter) : new LoopbackConnector(own, reporter);
        }
    }

    private static MembershipHostSettings ToHostSettings(QuickSilverOptions options, IHostTransport transport, IPEndPoint endpoint)
    {
        MembershipOptions membership = options.Membership;
        (ushort first, ushort last) = options.Transport.Ports;
        (uint address, int count) = Pool(options.Transport);
        return new MembershipHostSettings
        {
            EndPoint = endpoint,
            ServesAllClusters = membership.Mode == MembershipMode.Loopback,
            Server = new MembershipServerSettings
            {
                ClusterName = options.ClusterName,
                BatchWindow = membership.BatchWindow,
                InstallTimeout = membership.InstallTimeout,
                FailureTimeout = membership.FailureTimeout,
                ReconnectGrace = membership.ReconnectGrace,
                HeartbeatInterval = membership.HeartbeatInterval,
                TakeoverTimeout = membership.Mode == MembershipMode.Loopback ? TakeoverTimeout(membership) : null,
                AwaitMajority = membership.Mode == MembershipMode.Host && membership.AwaitMajority,
                Replication = options.Recovery.ReplicationFactor,
                MulticastFirst = transport.Facts.Multicast ? address : 0,
                MulticastCount = transport.Facts.Multicast ? count : 0,
                PortFirst = first,
                PortCount = last - first + 1,
            },
        };
    }

    // On one machine nothing but its own end keeps a node from the next server: it is waited for as for one whose connection broke, though no shorter
    // than survivors may pause between two attempts.
    private static TimeSpan TakeoverTimeout(MembershipOptions options)
    {
        TimeSpan grace = options.ReconnectGrace > LeastTakeover ? options.ReconnectGrace : LeastTakeover;
        return options.FailureTimeout > TimeSpan.Zero && options.FailureTimeout < grace ? options.FailureTimeout : grace;
    }

    private static TransportSettings ToTransportSettings(QuickSilverOptions options)
    {
        TransportOptions transport = options.Transport;
        (ushort first, ushort last) = transport.Ports;
        (uint address, int count) = Pool(transport);
        bool loopback = options.Membership.Mode == MembershipMode.Loopback;
        return new TransportSettings
        {
            Carrier = transport.Kind switch
            {
                TransportKind.Multicast => CarrierWish.Multicast,
                TransportKind.Unicast => CarrierWish.Unicast,
                TransportKind.InMemory => CarrierWish.InProcess,
                _ => CarrierWish.Auto,
            },
            Loopback = loopback,
            Interface = transport.Interface,
            MulticastFirst = address,
            MulticastCount = count,
            PortFirst = first,
            PortCount = last - first + 1,
            TimeToLive = transport.TimeToLive,
            MaxDatagramBytes = transport.MaxDatagramBytes,
            ReceiveBufferBytes = transport.ReceiveBufferBytes,
            ChecksumPayloads = transport.PayloadChecksum == PayloadChecksum.On || (transport.PayloadChecksum == PayloadChecksum.Auto && !loopback),
            FastPath = transport.FastPath == FastPathMode.Auto,
            Segmentation = transport.Segmentation,
            Coalescing = transport.Coalescing,
            SharedMemory = loopback && transport.SharedMemory,
        };
    }

    private static NodeSettings ToNodeSettings(QuickSilverOptions options, string name) => new()
    {
        ClusterName = options.ClusterName,
        NodeName = name,
        Incarnation = Incarnations.Next(),
        MinTokenInterval = options.Recovery.MinTokenInterval,
        QuietTokenInterval = options.Recovery.QuietTokenInterval,
        EagerPull = options.Recovery.EagerPull,
        CacheBytes = options.Recovery.CacheBytes,
        MaxPendingMessages = options.Pending.MaxMessages,
        MaxPendingBytes = options.Pending.MaxBytes,
        NodeMaxPendingBytes = options.Pending.NodeMaxBytes,
        MaxMessageBytes = options.Pending.MaxMessageBytes,
        FixedRate = options.RateControl.Mode == RateControlMode.Fixed,
        InitialRate = options.RateControl.Initial,
        MinRate = options.RateControl.Min,
        MaxRate = options.RateControl.Max,
        HeartbeatInterval = options.Membership.HeartbeatInterval,
        CheckSources = options.Transport.CheckSources,
    };

    private static LoopQuanta ToQuanta(LoopOptions options) =>
        new() { IoQuantum = options.IoQuantum, AlarmQuantum = options.AlarmQuantum, StallWarning = options.StallWarning };

    private static (uint First, int Count) Pool(TransportOptions options)
    {
        IPNetwork pool = options.Pool;
        Span<byte> bytes = stackalloc byte[sizeof(uint)];
        _ = pool.BaseAddress.TryWriteBytes(bytes, out _);
        return (BinaryPrimitives.ReadUInt32BigEndian(bytes), 1 << (32 - pool.PrefixLength));
    }
}
