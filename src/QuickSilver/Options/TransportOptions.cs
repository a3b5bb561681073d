using System.Diagnostics.CodeAnalysis;
using System.Net.Sockets;
using System.Net;
using QuickSilver.Protocol.Wire;

namespace QuickSilver;

/// <summary>Settings of the sockets: interface, addresses, sizes, offloads.</summary>
public sealed class TransportOptions
{
    private const int SmallestDatagram = 512;
    private const int LeastIPv6Prefix = 104;
    private const int SmallestReceiveBuffer = 64 << 10;

    /// <summary>How packets reach the members of a region. Default: <see cref="TransportKind.Auto"/>.</summary>
    public TransportKind Kind { get; set; } = TransportKind.Auto;

    /// <summary>
    /// The network interface: its name, its address, or the network of its address ("10.77.0.0/24", "fd00::/64"), which
    /// is the same on all hosts of a cluster. By name, its address is of the family of the servers, IPv4 if they have
    /// both. A link-local address is used only if it is given.
    /// <para>
    /// Null (default): loopback in <see cref="MembershipMode.Loopback"/>; else the interface that reaches one of
    /// <see cref="MembershipOptions.Servers"/>; else the best that is up: first those with multicast (unless
    /// <see cref="Kind"/> is <see cref="TransportKind.Unicast"/>), of these first those with a gateway, of these
    /// first IPv4.
    /// </para>
    /// <para>
    /// A start waits up to <see cref="MembershipOptions.JoinTimeout"/> for an interface that is down, and up to 3 s for
    /// one that does not exist.
    /// </para>
    /// </summary>
    public string? Interface { get; set; }

    /// <summary>Multicast addresses for regions and hybrid groups, as ADDRESS/BITS. Read by the node that serves the
    /// membership. Default: 239.192.66.0/24.</summary>
    public string MulticastPool { get; set; } = "239.192.66.0/24";

    /// <summary>Multicast addresses for regions and hybrid groups of a cluster that speaks IPv6, as ADDRESS/BITS. The
    /// fourth digit is the scope: 2 for the link ("ff12::/120"), 5 for the site. Read by the node that serves the
    /// membership. Default: ff15::5153:4200/120.</summary>
    public string MulticastPoolIPv6 { get; set; } = "ff15::5153:4200/120";

    /// <summary>Number of groups with <see cref="ReliableMode.Hybrid"/> that this node may be in. Each takes a socket
    /// and an address that the network card has to filter. One more fails with
    /// <see cref="ErrorCode.TooManyHybridGroups"/>. Default: 8.</summary>
    public int MaxHybridGroups { get; set; } = 8;

    /// <summary>UDP ports for this node and its regions, as FIRST-LAST. Default: 15000-15999.</summary>
    public string PortRange { get; set; } = "15000-15999";

    /// <summary>Multicast time-to-live, or hop limit of IPv6. 1 (default) stays on the local network; each router on
    /// the way takes one more.</summary>
    public int TimeToLive { get; set; } = 1;

    /// <summary>Largest UDP payload to send, in bytes. 0 (default) chooses: 1,372 on a network; on loopback 1/64 of the
    /// receive buffer, clamped to 8,192..65,493. Limited by the interface's MTU. 44 bytes of it are kept for
    /// encryption, also where <see cref="SecurityMode.None"/> is chosen.</summary>
    public int MaxDatagramBytes { get; set; }

    /// <summary>Receive buffer requested from the kernel for each data socket, in bytes.
    /// <see cref="NodeStatistics.ReceiveBufferBytes"/> is the size that the kernel granted; if that is too small, the
    /// log names the remedy. Default: 4 MiB.</summary>
    public int ReceiveBufferBytes { get; set; } = 4 << 20;

    /// <summary>Whether packets carry a checksum of their payload. Default:
    /// <see cref="PayloadChecksum.Auto"/>.</summary>
    public PayloadChecksum PayloadChecksum { get; set; } = PayloadChecksum.Auto;

    /// <summary>Whether the node uses the faster socket calls of the operating system, those that a probe at start
    /// finds working: segmentation and coalescing offload on Linux. False: one datagram per system call on every
    /// platform. Default: true.</summary>
    public bool FastPath { get; set; } = true;

    /// <summary>Whether the kernel may split one send into many datagrams (UDP_SEGMENT on Linux). False: one system
    /// call per datagram. A kernel or device that refuses is detected automatically; set this only for one that
    /// segments incorrectly. Default: true.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public bool Segmentation { get; set; } = true;

    /// <summary>Whether the kernel may return several datagrams from one read (UDP_GRO on Linux). Default:
    /// true.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public bool Coalescing { get; set; } = true;

    /// <summary>Whether nodes of one machine read each other's packets in place from shared memory instead of through
    /// sockets. Applies only on Linux, in <see cref="MembershipMode.Loopback"/> with multicast and datagrams of 4 KiB
    /// or more, between processes of one user and one PID namespace. Everything else uses sockets. Costs memory for
    /// packets that not every reader has released, up to 64 MiB for each sending node. Default: true.</summary>
    public bool SharedMemory { get; set; } = true;

    /// <summary>Whether a node drops datagrams whose source address and port are not those of their claimed sender. Set
    /// it to false only where the network between members rewrites source addresses (masquerading). Any host that
    /// reaches the node can then impersonate members. Default: true.</summary>
    public bool CheckSources { get; set; } = true;

    internal (ushort First, ushort Last) Ports =>
        TryParsePorts(PortRange, out ushort first, out ushort last) ? (first, last) : default;

    internal IPNetwork Pool => TryParsePool(MulticastPool, out IPNetwork pool) ? pool : default;

    internal IPNetwork PoolIPv6 => TryParsePoolIPv6(MulticastPoolIPv6, out IPNetwork pool) ? pool : default;

    internal TransportOptions Copy() => (TransportOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        errors.Defined("Transport.Kind", Kind);
        if (Interface is { } name && InterfaceSelector.TryParse(name, out _) is { } fault)
            errors.Add("Transport.Interface", fault);
        if (!TryParsePool(MulticastPool, out _))
            errors.Add(
                "Transport.MulticastPool",
                $"'{MulticastPool}' is not an IPv4 multicast network such as 239.192.66.0/24");
        if (!TryParsePoolIPv6(MulticastPoolIPv6, out _))
            errors.Add(
                "Transport.MulticastPoolIPv6",
                $"'{MulticastPoolIPv6}' is not an IPv6 multicast network of 104 to 128 bits such as "
                + "ff15::5153:4200/120");
        if (!TryParsePorts(PortRange, out _, out _))
            errors.Add(
                "Transport.PortRange",
                $"'{PortRange}' is not FIRST-LAST with two ports or more between 1024 and 65535");
        errors.InRange("Transport.MaxHybridGroups", MaxHybridGroups, 0, 256);
        errors.InRange("Transport.TimeToLive", TimeToLive, 0, 255);
        if (MaxDatagramBytes != 0)
        {
            errors.InRange(
                "Transport.MaxDatagramBytes",
                MaxDatagramBytes,
                SmallestDatagram,
                DatagramHeader.MaxDatagram,
                "or 0 for the interface's own");
        }
        errors.InRange("Transport.ReceiveBufferBytes", ReceiveBufferBytes, SmallestReceiveBuffer, 1 << 30);
        errors.Defined("Transport.PayloadChecksum", PayloadChecksum);
    }

    private static bool TryParsePool(string? text, out IPNetwork pool) =>
        IPNetwork.TryParse(text, out pool)
        && pool.BaseAddress.AddressFamily == AddressFamily.InterNetwork
        && pool.PrefixLength >= 4
        && pool.BaseAddress.GetAddressBytes()[0] is >= 224 and <= 239;

    private static bool TryParsePoolIPv6(string? text, out IPNetwork pool) =>
        IPNetwork.TryParse(text, out pool)
        && pool.PrefixLength >= LeastIPv6Prefix
        && pool.BaseAddress.IsIPv6Multicast;

    private static bool TryParsePorts(string? text, out ushort first, out ushort last)
    {
        first = 0;
        last = 0;
        int dash = text is null ? -1 : text.IndexOf('-', StringComparison.Ordinal);
        return dash > 0
            && ushort.TryParse(text.AsSpan(0, dash), out first)
            && ushort.TryParse(text.AsSpan(dash + 1), out last)
            && first >= 1024 && last > first;
    }
}
