using System.Net;

namespace QuickSilver.Transport;

/// <summary>What a transport is told; validated by whoever makes it from the public options.</summary>
internal sealed record TransportSettings
{
    /// <summary>How regions may be carried.</summary>
    public CarrierPreference Carrier { get; init; } = CarrierPreference.Auto;

    /// <summary>True: this machine only, over the loopback interface.</summary>
    public bool Loopback { get; init; } = true;

    /// <summary>Name, IPv4 address or network of the interface; null: loopback in loopback mode, else that by which a server is reached, else the
    /// default route's.</summary>
    public string? Interface { get; init; }

    /// <summary>Addresses of membership servers, in the order in which they are tried.</summary>
    public IReadOnlyList<IPAddress> Servers { get; init; } = [];

    /// <summary>First address of the multicast pool in host order: what the start-up probe tries.</summary>
    public uint MulticastFirst { get; init; } = 0xEFC04200;

    /// <summary>Addresses in the pool.</summary>
    public int MulticastCount { get; init; } = 256;

    /// <summary>First UDP port that this node may bind.</summary>
    public int PortFirst { get; init; } = 15_000;

    /// <summary>UDP ports that this node may bind.</summary>
    public int PortCount { get; init; } = 1_000;

    /// <summary>How many routers a multicast may pass.</summary>
    public int TimeToLive { get; init; } = 1;

    /// <summary>The longest datagram, encryption reserve included; 0: a measured default for the kind of interface.</summary>
    public int MaxDatagramBytes { get; init; }

    /// <summary>Receive buffer asked of the kernel for each data socket.</summary>
    public int ReceiveBufferBytes { get; init; } = 4 << 20;

    /// <summary>True: packets carry a payload checksum.</summary>
    public bool ChecksumPayloads { get; init; }

    /// <summary>False: the portable transport even on Linux.</summary>
    public bool FastPath { get; init; } = true;

    /// <summary>False: never ask the kernel to cut trains (UDP_SEGMENT); one datagram a call.</summary>
    public bool Segmentation { get; init; } = true;

    /// <summary>False: never ask the kernel to give trains back whole (UDP_GRO).</summary>
    public bool Coalescing { get; init; } = true;

    /// <summary>True: packets are shared with the nodes of this machine in memory, where regions are carried by multicast over loopback.</summary>
    public bool SharedMemory { get; init; }

    /// <summary>The network of <see cref="CarrierPreference.InProcess"/>; null: the process's own.</summary>
    public InProcessNetwork? Network { get; init; }
}
