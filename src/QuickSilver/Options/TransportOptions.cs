using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver;

/// <summary>Sockets: which interface, which addresses, how large.</summary>
public sealed class TransportOptions
{
    private const int SmallestDatagram = 512;
    private const int SmallestReceiveBuffer = 64 << 10;

    /// <summary>How regions are carried. Default: <see cref="TransportKind.Auto"/>.</summary>
    public TransportKind Kind { get; set; } = TransportKind.Auto;

    /// <summary>Name or IPv4 address of the interface, or the network that its address lies in ("10.77.0.0/24"), which is the same for all hosts of a
    /// cluster. Null (default): loopback in <see cref="MembershipMode.Loopback"/>; else the interface by which one of
    /// <see cref="MembershipOptions.Servers"/> is reached; else the first that is up and has multicast and a gateway, or the first without a gateway.
    /// A start waits for an interface that is down, up to <see cref="MembershipOptions.JoinTimeout"/>; for one that is not there, up to 3 s. IPv4 only.
    /// </summary>
    public string? Interface { get; set; }

    /// <summary>Multicast addresses that regions may use, as ADDRESS/BITS. Read by the node that serves
    /// the membership. Default: 239.192.66.0/24.</summary>
    public string MulticastPool { get; set; } = "239.192.66.0/24";

    /// <summary>UDP ports that this node and its regions may use, as FIRST-LAST. Default: 15000-15999.</summary>
    public string PortRange { get; set; } = "15000-15999";

    /// <summary>How many routers a multicast may pass. Default 1: none, the local network only.</summary>
    public int TimeToLive { get; set; } = 1;

    /// <summary>The longest datagram sent, in bytes of UDP payload. 0 (default): 1,372; over loopback a sixty-fourth of the receive buffer, from
    /// 8,192 to 65,493. What is longer than the interface carries is cut down to that. 44 bytes of it are kept free.</summary>
    public int MaxDatagramBytes { get; set; }

    /// <summary>Receive buffer asked of the kernel for each data socket, in bytes. What it granted is
    /// <see cref="NodeStatistics.ReceiveBufferBytes"/>; too little is logged with the remedy. Default: 4 MiB.</summary>
    public int ReceiveBufferBytes { get; set; } = 4 << 20;

    /// <summary>Whether packets carry a checksum of their payload. Default: <see cref="PayloadChecksum.Auto"/>.</summary>
    public PayloadChecksum PayloadChecksum { get; set; } = PayloadChecksum.Auto;

    /// <summary>Whether the operating system's faster calls are used. Default: <see cref="FastPathMode.Auto"/>.</summary>
    public FastPathMode FastPath { get; set; } = FastPathMode.Auto;

    /// <summary>Whether the kernel may cut trains into datagrams (UDP_SEGMENT on Linux). False: one system call a datagram. A kernel or device that
    /// refuses is found out and needs no setting; this is for one that does it wrongly. Default: true.</summary>
    public bool Segmentation { get; set; } = true;

    /// <summary>Whether the kernel may hand several datagrams over in one read (UDP_GRO on Linux). Default: true.</summary>
    public bool Coalescing { get; set; } = true;

    /// <summary>Whether nodes of one machine read each other's packets in place, in memory that they share, instead of through sockets. Only on
    /// Linux, in <see cref="MembershipMode.Loopback"/> with multicast and datagrams of 4 KiB or more, between processes of one user and one PID
    /// namespace; all else goes by sockets as ever. It costs memory for what is sent and not yet released by all, up to 64 MiB a sending node.
    /// Default: true.</summary>
    public bool SharedMemory { get; set; } = true;

    /// <summary>Whether a datagram counts only when it comes from the address and port of its sender: what others send in a member's name is dropped
    /// then. False only where the network between the members changes source addresses (masquerading); whoever can send datagrams to the node is then
    /// believed. Default: true.</summary>
    public bool CheckSources { get; set; } = true;

    internal (ushort First, ushort Last) Ports => TryParsePorts(PortRange, out ushort first, out ushort last) ? (first, last) : default;

    internal IPNetwork Pool => TryParsePool(MulticastPool, out IPNetwork pool) ? pool : default;

    internal TransportOptions Copy() => (TransportOptions)MemberwiseClone();

    internal void Validate(OptionErrors errors)
    {
        errors.Defined("Transport.Kind", Kind);
        if (Interface is { } name && InterfaceSelector.TryParse(name, out _) is { } fault) errors.Add("Transport.Interface", fault);
        if (!TryParsePool(MulticastPool, out _))
            errors.Add("Transport.MulticastPool", $"'{MulticastPool}' is not an IPv4 multicast network such as 239.192.66.0/24");
        if (!TryParsePorts(PortRange, out _, out _))
            errors.Add("Transport.PortRange", $"'{PortRange}' is not FIRST-LAST with two ports or more between 1024 and 65535");
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
        errors.Defined("Transport.FastPath", FastPath);
    }

    private static bool TryParsePool(string? text, out IPNetwork pool) =>
        IPNetwork.TryParse(text, out pool)
        && pool.BaseAddress.AddressFamily == AddressFamily.InterNetwork
        && pool.PrefixLength >= 4
        && pool.BaseAddress.GetAddressBytes()[0] is >= 224 and <= 239;

    private static bool TryParsePorts(string? text, out ushort first, out ushort last)
    {
        first = 0;
        last = 0;
        int dash = text is null ? -1 : text.IndexOf('-', StringComparison.Ordinal);
        return dash > 0 && ushort.TryParse(text.AsSpan(0, dash), out first) && ushort.TryParse(text.AsSpan(dash + 1), out last)
            && first >= 1024 && last > first;
    }
}
