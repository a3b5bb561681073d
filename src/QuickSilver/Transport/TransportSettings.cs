using System.Net;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>The settings of a transport, converted from validated public options.</summary>
internal sealed record TransportSettings
{
    /// <summary>The permitted carriers.</summary>
    public CarrierPreference Carrier { get; init; } = CarrierPreference.Auto;

    /// <summary>True to use this machine's loopback interface only.</summary>
    public bool Loopback { get; init; } = true;

    /// <summary>The name, address or network of the interface. If null: loopback in loopback mode; else the one by
    /// which a server is reachable; else that of the default route.</summary>
    public string? Interface { get; init; }

    /// <summary>The addresses of membership servers, in the order of attempts.</summary>
    public IReadOnlyList<IPAddress> Servers { get; init; } = [];

    /// <summary>The first address of the multicast pool.</summary>
    public NetAddress MulticastFirst { get; init; } = 0xEFC04200;

    /// <summary>The number of addresses in the pool; the start-up probe uses the last.</summary>
    public int MulticastCount { get; init; } = 256;

    /// <summary>The first address of the multicast pool of IPv6.</summary>
    public NetAddress MulticastIPv6First { get; init; } = new(0xFF15_0000_0000_0000, 0x5153_4200);

    /// <summary>The number of addresses in the pool of IPv6.</summary>
    public int MulticastIPv6Count { get; init; } = 256;

    /// <summary>The first UDP port that this node may bind.</summary>
    public int PortFirst { get; init; } = 15_000;

    /// <summary>The number of UDP ports that this node may bind.</summary>
    public int PortCount { get; init; } = 1_000;

    /// <summary>The time to live of multicast datagrams, in hops.</summary>
    public int TimeToLive { get; init; } = 1;

    /// <summary>The longest datagram in bytes, including the encryption reserve; 0 for the default of the kind of
    /// interface.</summary>
    public int MaxDatagramBytes { get; init; }

    /// <summary>The receive buffer requested from the kernel for each data socket, in bytes.</summary>
    public int ReceiveBufferBytes { get; init; } = 4 << 20;

    /// <summary>True to send payload checksums.</summary>
    public bool ChecksumPayloads { get; init; }

    /// <summary>False to use the portable transport even on Linux.</summary>
    public bool FastPath { get; init; } = true;

    /// <summary>False to send one datagram a call, without segmentation by the kernel (UDP_SEGMENT).</summary>
    public bool Segmentation { get; init; } = true;

    /// <summary>False to read one datagram a call, without coalescing by the kernel (UDP_GRO).</summary>
    public bool Coalescing { get; init; } = true;

    /// <summary>True to share packets with the nodes of this machine in memory, where regions use multicast over
    /// loopback.</summary>
    public bool SharedMemory { get; init; }

    /// <summary>What the host allows; null: it is read.</summary>
    public HostLimits? Limits { get; init; }

    /// <summary>The network of <see cref="CarrierPreference.InProcess"/>; null for the default one of the
    /// process.</summary>
    public InProcessNetwork? Network { get; init; }
}
