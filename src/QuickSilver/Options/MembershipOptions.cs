using System.Net;

namespace QuickSilver;

/// <summary>Where the membership server is, and its timing. <see cref="BatchWindow"/>, <see cref="ReconnectGrace"/>, <see cref="InstallTimeout"/> and
/// <see cref="AwaitMajority"/> are read by the node that serves; <see cref="FailureTimeout"/> by that node and by each for itself; all others by each
/// node for itself.</summary>
public sealed class MembershipOptions
{
    /// <summary>Where the server is. Default: <see cref="MembershipMode.Loopback"/>.</summary>
    public MembershipMode Mode { get; set; } = MembershipMode.Loopback;

    /// <summary>Servers as "host:port", by name or IPv4 address. In <see cref="MembershipMode.Client"/> they are tried in turn. In
    /// <see cref="MembershipMode.Host"/> they are other places at which the cluster may be hosted (its own may be among them): a host does not start
    /// while another serves, and says so once a minute when it finds one later. An address where nobody listens delays a start by a quarter of a second.
    /// </summary>
    public IList<string> Servers { get; private set; } = [];

    /// <summary>TCP port served in <see cref="MembershipMode.Loopback"/> (on 127.0.0.1) and <see cref="MembershipMode.Host"/> (on
    /// <see cref="Address"/>). Default: 14999.</summary>
    public int Port { get; set; } = 14999;

    /// <summary>Where a <see cref="MembershipMode.Host"/> listens: the name of an interface, an IPv4 address, a network that an address of this
    /// machine lies in ("10.77.0.0/24"), or "0.0.0.0" for all addresses. Null (default): <see cref="TransportOptions.Interface"/> if that is given,
    /// else all.</summary>
    public string? Address { get; set; }

    /// <summary>Networks ("10.0.0.0/8") whose addresses a node may name for its datagrams though its connection to the server comes from another
    /// address: for nodes behind a NAT or with several cards. Any other node is refused. Read by the node that serves. Default: none.</summary>
    public IList<string> AllowedNetworks { get; private set; } = [];

    /// <summary>A node that the server has not heard for this long is removed, and so is one that other members do not reach for as long though the
    /// server hears it. A node gives a connection up by which the server has said nothing for as long. <see cref="Timeout.InfiniteTimeSpan"/>
    /// switches all that off. Default: 10 s.</summary>
    public TimeSpan FailureTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How often a node says that it lives; at most half of <see cref="FailureTimeout"/>. Default: 1 s.</summary>
    public TimeSpan HeartbeatInterval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Longest time during which changes are gathered into one step; an idle server acts at once. Default: 1 s.</summary>
    public TimeSpan BatchWindow { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>A node whose connection broke is removed unless it is back within this time. In <see cref="MembershipMode.Loopback"/> also how long,
    /// at least 2 s, a server that takes over waits for those who do not come to it. Default: 2 s.</summary>
    public TimeSpan ReconnectGrace { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>How long <see cref="QuickSilverNode.JoinAsync"/>, and the start of a node, may take. Default: 30 s.</summary>
    public TimeSpan JoinTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>A step is used without the members that have not installed it by then; they catch up. Default: 3 s.</summary>
    public TimeSpan InstallTimeout { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>In <see cref="MembershipMode.Host"/>, a server that takes the cluster of a lost one over removes nobody, and makes no view, before
    /// half of the nodes that its survivors name are back: a server may come back where most of the nodes cannot reach it. An operator who knows
    /// that the others are dead may waive it. Read by the node that serves. Default: true.</summary>
    public bool AwaitMajority { get; set; } = true;

    /// <summary>What this node does when it has been removed. Default: <see cref="EvictionPolicy.Rejoin"/>.</summary>
    public EvictionPolicy Eviction { get; set; } = EvictionPolicy.Rejoin;

    internal MembershipOptions Copy()
    {
        var copy = (MembershipOptions)MemberwiseClone();
        copy.Servers = [.. Servers];
        copy.AllowedNetworks = [.. AllowedNetworks];
        return copy;
    }

    internal void Validate(OptionErrors errors)
    {
        errors.Defined("Membership.Mode", Mode);
        if (Mode == MembershipMode.Client && Servers.Count == 0)
            errors.Add("Membership.Servers", "is empty, and Membership.Mode is Client: add the host's HOST:PORT");
        if (Mode == MembershipMode.Loopback && Servers.Count > 0)
            errors.Add("Membership.Servers", "is given, and Membership.Mode is Loopback, which asks none: set it to Client, or leave the list empty");
        for (int index = 0; index < Servers.Count; index++)
        {
            if (IsIPv6(Servers[index]))
                errors.Add($"Membership.Servers[{index}]", $"'{Servers[index]}' is an IPv6 address, and QuickSilver speaks IPv4 only");
            else if (!TryParseServer(Servers[index], out _, out _))
                errors.Add($"Membership.Servers[{index}]", $"'{Servers[index]}' is not HOST:PORT, such as 10.0.0.5:14999");
        }
        errors.InRange("Membership.Port", Port, 1, 65_535);
        if (Address is { } address && InterfaceSelector.TryParse(address, out _) is { } fault) errors.Add("Membership.Address", fault);
        for (int index = 0; index < AllowedNetworks.Count; index++)
        {
            if (!InterfaceSelector.TryParseNetwork(AllowedNetworks[index], out _))
                errors.Add($"Membership.AllowedNetworks[{index}]", $"'{AllowedNetworks[index]}' is not an IPv4 network such as 10.77.0.0/24");
        }
        bool detects = FailureTimeout != Timeout.InfiniteTimeSpan;
        if (detects) errors.Positive("Membership.FailureTimeout", FailureTimeout, "or infinite to switch the detector off");
        errors.AtLeast("Membership.HeartbeatInterval", HeartbeatInterval, TimeSpan.FromMilliseconds(1));
        if (detects && FailureTimeout > TimeSpan.Zero && HeartbeatInterval > FailureTimeout / 2)
        {
            errors.Add(
                "Membership.HeartbeatInterval",
                $"{HeartbeatInterval} is more than half of Membership.FailureTimeout ({FailureTimeout}): lower it, or raise that");
        }
        errors.NotNegative("Membership.BatchWindow", BatchWindow);
        errors.NotNegative("Membership.ReconnectGrace", ReconnectGrace);
        errors.Positive("Membership.JoinTimeout", JoinTimeout);
        errors.Positive("Membership.InstallTimeout", InstallTimeout);
        errors.Defined("Membership.Eviction", Eviction);
    }

    internal IReadOnlyList<IPNetwork> Networks
    {
        get
        {
            var networks = new List<IPNetwork>();
            foreach (string text in AllowedNetworks)
            {
                if (InterfaceSelector.TryParseNetwork(text, out IPNetwork network)) networks.Add(network);
            }
            return networks;
        }
    }

    // "[::1]:14999", "::1" and "fe80::1:14999" alike.
    private static bool IsIPv6(string? text)
    {
        if (text is null) return false;
        int colon = text.LastIndexOf(':');
        return InterfaceSelector.IsIPv6(text) || (colon > 0 && InterfaceSelector.IsIPv6(text[..colon]));
    }

    internal static bool TryParseServer(string? text, out string host, out int port)
    {
        host = "";
        port = 0;
        int colon = text is null ? -1 : text.LastIndexOf(':');
        if (colon <= 0 || !ushort.TryParse(text.AsSpan(colon + 1), out ushort parsed) || parsed == 0) return false;
        host = text![..colon];
        port = parsed;
        return !string.IsNullOrWhiteSpace(host);
    }
}
