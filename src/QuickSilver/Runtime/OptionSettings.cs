using System.Net;
using QuickSilver.Membership;
using QuickSilver.Membership.Election;
using QuickSilver.Membership.Peers;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Flow.Control;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Transport;

namespace QuickSilver.Runtime;

/// <summary>Converts a node's validated options to the settings of its parts.</summary>
internal static class OptionSettings
{
    private static readonly TimeSpan MinTakeover = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan ShortestPeerLease = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPeerLease = TimeSpan.FromSeconds(5);

    /// <summary>Converts options to the settings of a membership host.</summary>
    /// <param name="options">The options of the hosting node.</param>
    /// <param name="facts">Those of the node's transport: its family is that of the cluster, and without multicast no
    /// region gets an address.</param>
    /// <param name="endpoint">The endpoint to listen on.</param>
    public static MembershipHostSettings ToHost(QuickSilverOptions options, TransportFacts facts, IPEndPoint endpoint)
    {
        MembershipOptions membership = options.Membership;
        (ushort first, ushort last) = options.Transport.Ports;
        bool multicast = facts.Multicast;
        (NetAddress address, int count) = Pool(
            facts.Control.Address.IsIPv6 ? options.Transport.PoolIPv6 : options.Transport.Pool);
        // A member of a merged region holds the keys of all its groups, whatever the rule says of each.
        bool merges = membership.MergeRegions && options.Security.Authorize is null;
        return new MembershipHostSettings
        {
            EndPoint = endpoint,
            AllowedNetworks = membership.Networks,
            Security = options.Protection.Channel,
            Authorize = options.Security.Authorize,
            Server = new MembershipServerSettings
            {
                ClusterName = options.ClusterName,
                Crypto = options.Crypto,
                RotateAfter = options.Security.RotateAfter,
                BatchWindow = membership.BatchWindow,
                InstallTimeout = membership.InstallTimeout,
                FailureTimeout = membership.FailureTimeout,
                ReconnectGrace = membership.ReconnectGrace,
                HeartbeatInterval = membership.HeartbeatInterval,
                FoundingGrace = membership.Mode == MembershipMode.Loopback
                    ? ReconnectPace.LoopbackFoundingGrace
                    : ReconnectPace.HostFoundingGrace,
                TakeoverTimeout = membership.Mode == MembershipMode.Loopback ? TakeoverTimeout(membership) : null,
                IsElected = membership.Mode is MembershipMode.Elected or MembershipMode.Peers,
                AwaitMajority = membership.Mode != MembershipMode.Loopback && membership.AwaitMajority,
                Replication = options.Recovery.ReplicationFactor,
                MulticastFirst = multicast ? address : default,
                MulticastCount = multicast ? count : 0,
                PortFirst = first,
                PortCount = last - first + 1,
                MaxNodesOfIdentity = options.Security.MaxNodesPerIdentity,
                BindsNames = options.Security.BindNodeNames,
                MaxRegions = merges ? membership.MaxRegions : int.MaxValue,
                MaxMulticastRegions = merges && multicast ? Math.Max(count, 1) : int.MaxValue,
            },
        };
    }

    /// <summary>Converts options to the settings of an election among the nodes.</summary>
    public static PeerSettings ToPeers(QuickSilverOptions options, string node)
    {
        MembershipOptions membership = options.Membership;
        bool detects = membership.FailureTimeout > TimeSpan.Zero;
        TimeSpan lease = detects ? membership.FailureTimeout / 2 : LongestPeerLease;
        return new PeerSettings
        {
            ClusterName = options.ClusterName,
            NodeName = node,
            Options = membership.Peers,
            Seeds = membership.ParseServers(),
            Lease = lease < ShortestPeerLease ? ShortestPeerLease
                : lease > LongestPeerLease ? LongestPeerLease
                : lease,
            Silence = detects ? membership.FailureTimeout : TimeSpan.MaxValue,
            Security = options.Protection.Channel,
            Clock = new LeaseClock(),
        };
    }

    // On one machine only its own end keeps a node from reaching the next server. A takeover therefore waits for it as
    // long as for one whose connection broke, but no shorter than survivors may pause between attempts.
    private static TimeSpan TakeoverTimeout(MembershipOptions options)
    {
        TimeSpan grace = options.ReconnectGrace > MinTakeover ? options.ReconnectGrace : MinTakeover;
        return options.FailureTimeout > TimeSpan.Zero && options.FailureTimeout < grace
            ? options.FailureTimeout
            : grace;
    }

    /// <summary>Converts options to the settings of a transport, except the addresses of servers.</summary>
    public static TransportSettings ToTransport(QuickSilverOptions options)
    {
        TransportOptions transport = options.Transport;
        (ushort first, ushort last) = transport.Ports;
        (NetAddress address, int count) = Pool(transport.Pool);
        (NetAddress addressIPv6, int countIPv6) = Pool(transport.PoolIPv6);
        bool loopback = options.Membership.Mode == MembershipMode.Loopback;
        return new TransportSettings
        {
            Carrier = transport.Kind switch
            {
                TransportKind.Multicast => CarrierPreference.Multicast,
                TransportKind.Unicast => CarrierPreference.Unicast,
                TransportKind.InMemory => CarrierPreference.InProcess,
                _ => CarrierPreference.Auto,
            },
            Loopback = loopback,
            Interface = transport.Interface,
            MulticastFirst = address,
            MulticastCount = count,
            MulticastIPv6First = addressIPv6,
            MulticastIPv6Count = countIPv6,
            PortFirst = first,
            PortCount = last - first + 1,
            TimeToLive = transport.TimeToLive,
            MaxDatagramBytes = transport.MaxDatagramBytes,
            ReceiveBufferBytes = transport.ReceiveBufferBytes,
            ChecksumPayloads = transport.PayloadChecksum == PayloadChecksum.On
                || (transport.PayloadChecksum == PayloadChecksum.Auto && !loopback),
            FastPath = transport.FastPath,
            Segmentation = transport.Segmentation,
            Coalescing = transport.Coalescing,
            SharedMemory = loopback && transport.SharedMemory,
        };
    }

    /// <summary>Converts options to the settings of the protocol, with a new incarnation.</summary>
    public static NodeSettings ToNode(QuickSilverOptions options, string name) => new()
    {
        ClusterName = options.ClusterName,
        NodeName = name,
        Incarnation = Incarnations.Next(),
        CacheBytes = options.Recovery.CacheBytes,
        MaxPendingMessages = options.Pending.MaxMessagesPerRegion,
        MaxPendingBytes = options.Pending.MaxBytesPerRegion,
        NodeMaxPendingBytes = options.Pending.MaxBytesPerNode,
        MaxMessageBytes = options.Pending.MaxMessageBytes,
        SlowMemberTimeout = options.Pending.SlowMemberTimeout,
        Recovery = new RecoverySettings
        {
            MinTokenInterval = options.Recovery.MinTokenInterval,
            QuietTokenInterval = options.Recovery.QuietTokenInterval,
            EagerPull = options.Recovery.EagerPull,
        },
        Dissemination = new DisseminationSettings
        {
            Rate = new RateSettings
            {
                Fixed = options.RateControl.Fixed,
                Initial = options.RateControl.InitialPacketsPerSecond,
                Min = options.RateControl.MinPacketsPerSecond,
                Max = options.RateControl.MaxPacketsPerSecond,
            },
        },
        Ring = new RingSettings
        {
            PersonalWindow = options.Ordering.PersonalWindow,
            GlobalWindow = options.Ordering.GlobalWindow,
            AcceleratedWindow = options.Ordering.AcceleratedWindow,
        },
        HeartbeatInterval = options.Membership.HeartbeatInterval,
        CheckSources = options.Transport.CheckSources,
        Crypto = options.Crypto,
    };

    /// <summary>Converts options to the quanta of the loop.</summary>
    public static LoopQuanta ToQuanta(LoopOptions options) =>
        new()
        {
            IoQuantum = options.IoQuantum,
            AlarmQuantum = options.AlarmQuantum,
            StallWarning = options.StallWarning,
        };

    private static (NetAddress First, int Count) Pool(IPNetwork pool)
    {
        int bits = pool.BaseAddress.GetAddressBytes().Length * 8;
        return (AddressForms.ToNet(pool.BaseAddress), 1 << (bits - pool.PrefixLength));
    }
}
