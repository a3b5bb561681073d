using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Net.Sockets;

namespace QuickSilver;

/// <summary>Location and timing of the membership server. The serving node reads <see cref="BatchWindow"/>,
/// <see cref="ReconnectGrace"/>, <see cref="InstallTimeout"/>, <see cref="AwaitMajority"/>, <see cref="MergeRegions"/>,
/// <see cref="MaxRegions"/> and <see cref="AllowedNetworks"/>. It reads <see cref="FailureTimeout"/> too, which each
/// node also applies itself. Each node reads all others for itself.</summary>
public sealed class MembershipOptions
{
    internal const int DefaultPort = 14999;

    /// <summary>Location of the membership server. Default: <see cref="MembershipMode.Loopback"/>.</summary>
    public MembershipMode Mode { get; set; } = MembershipMode.Loopback;

    /// <summary>Servers as "host:port", by name or address; an IPv6 address in brackets, "[fd00::5]:14999". All
    /// addresses of a name are tried, IPv4 first, and it is resolved again each time.
    /// <see cref="MembershipMode.Client"/> tries servers in turn. <see cref="MembershipMode.Host"/> takes them as the
    /// other possible hosts of the cluster; its own address may be among them. <see cref="MembershipMode.Peers"/> asks
    /// the nodes there first: any of those that vote, and its own address may be among them. A host does not start
    /// while another serves, and logs a warning once a minute if it finds one later. An address that does not answer at
    /// all delays a start by a second and a half; one that refuses, not at all.
    /// <see cref="QuickSilverNode.ChangeMembershipServers"/> replaces the list while the node runs.</summary>
    public IList<string> Servers { get; private set; } = [];

    /// <summary>How nodes find servers that <see cref="Servers"/> does not name.</summary>
    public DiscoveryOptions Discovery { get; private set; } = new();

    /// <summary>Elects the process that serves, in <see cref="MembershipMode.Elected"/>. The caller disposes of it,
    /// after the nodes that use it; <see cref="UseElection"/> leaves that to the nodes. Default: null.</summary>
    public IMembershipElection? Election { get; set; }

    /// <summary>The election among the nodes, in <see cref="MembershipMode.Peers"/>.</summary>
    public PeerOptions Peers { get; private set; } = new();

    /// <summary>TCP port of the server: on 127.0.0.1 in <see cref="MembershipMode.Loopback"/>, on <see cref="Address"/>
    /// in <see cref="MembershipMode.Host"/>. An elected server takes another that is free if it is taken. Default:
    /// 14999. In <see cref="MembershipMode.Loopback"/> the default stands for the first of 64 ports, from 14999
    /// downwards, that the cluster has or that is free. Any other port is for one cluster: the start of a node of
    /// another is refused there.</summary>
    public int Port { get; set; } = DefaultPort;

    /// <summary>Listening address of a <see cref="MembershipMode.Host"/> or an elected server: the name of an
    /// interface, an address, a network that contains an address of this machine ("10.77.0.0/24"), "::" for all
    /// addresses, or "0.0.0.0" for all IPv4 ones. Null (default): <see cref="TransportOptions.Interface"/> if that is
    /// set, else all addresses.</summary>
    public string? Address { get; set; }

    /// <summary>Networks ("10.0.0.0/8") in which a node's data address may differ from the source address of its
    /// connection to the server. Needed for nodes behind a NAT or with several network cards; the server refuses all
    /// other mismatches. Read by the serving node. Default: none.</summary>
    public IList<string> AllowedNetworks { get; private set; } = [];

    /// <summary>How long a node may be unresponsive before it is removed from the cluster: silent to the server, or
    /// unreachable for the other members. Also the idle timeout of a node's connection to the server.
    /// <see cref="Timeout.InfiniteTimeSpan"/> disables failure detection. Default: 10 s.</summary>
    public TimeSpan FailureTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Interval of a node's heartbeats to the server, at most half of <see cref="FailureTimeout"/>. Default:
    /// 1 s.</summary>
    public TimeSpan HeartbeatInterval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How long the server may collect membership changes into one step. An idle server acts at once. Default:
    /// 1 s.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public TimeSpan BatchWindow { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>How long a node with a broken connection has to reconnect before it is removed. In
    /// <see cref="MembershipMode.Loopback"/>, a server that takes over waits as long for surviving nodes, at least 2 s.
    /// Default: 2 s.</summary>
    public TimeSpan ReconnectGrace { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>Time limit for <see cref="QuickSilverNode.JoinAsync"/> and for the start of a node. A
    /// <see cref="MembershipMode.Host"/> that serves other nodes at that time goes on, and says so in its log (record
    /// 1137): its end would take the server from them. Default: 30 s.</summary>
    public TimeSpan JoinTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How long the server waits for members to install a step. Later ones do not delay its use; they catch
    /// up. Default: 3 s.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public TimeSpan InstallTimeout { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>Whether a server that takes over from a lost one waits for a majority, except in
    /// <see cref="MembershipMode.Loopback"/>: half of the nodes that its survivors name. Until they are back it removes
    /// no node and makes no view, since most nodes may be unable to reach it. An operator who knows that the others are
    /// dead may waive the wait. Read by the serving node. Default: true.</summary>
    public bool AwaitMajority { get; set; } = true;

    /// <summary>Whether the server merges similar regions while there are more than <see cref="MaxRegions"/>, or more
    /// regions of several nodes than multicast addresses. A message to a merged region is one copy. The nodes there
    /// that are not in its group receive it and drop it (<see cref="NodeStatistics.PacketsFiltered"/>). False: regions
    /// are exact, and share addresses if need be. So are they where <see cref="SecurityOptions.Authorize"/> is set: a
    /// node there gets no keys of groups that it may not enter. Read by the serving node. Default: true.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public bool MergeRegions { get; set; } = true;

    /// <summary>Number of regions of the cluster above which similar ones are merged, if <see cref="MergeRegions"/> is
    /// true. A message is sent once for each region that its group spans. Read by the serving node. Default:
    /// 1,024.</summary>
    [Experimental(ExperimentalOptions.Id)]
    public int MaxRegions { get; set; } = 1_024;

    /// <summary>Behaviour of this node after its removal from the cluster. Default:
    /// <see cref="EvictionPolicy.Rejoin"/>.</summary>
    public EvictionPolicy Eviction { get; set; } = EvictionPolicy.Rejoin;

    /// <summary>Has the server elected: sets <see cref="Mode"/> to <see cref="MembershipMode.Elected"/>. Each node
    /// makes an election for itself when it starts. The node disposes of it when it has stopped, if it can be disposed
    /// of. Takes the place of <see cref="Election"/>.</summary>
    /// <param name="make">Makes the election. Its exceptions end the start.</param>
    /// <returns>These options.</returns>
    public MembershipOptions UseElection(Func<IMembershipElection> make)
    {
        ArgumentNullException.ThrowIfNull(make);
        Election = null;
        ElectionMaker = make;
        Mode = MembershipMode.Elected;
        return this;
    }

    internal Func<IMembershipElection>? ElectionMaker { get; private set; }

    /// <summary>The election of one node, whose own copy of the options this is. It names the election from then
    /// on.</summary>
    internal (IMembershipElection Election, bool IsOwn) TakeElection()
    {
        if (Election is { } given) return (given, false);
        Election = ElectionMaker!();
        return (Election, true);
    }

    /// <summary>True when servers announce themselves by multicast, and nodes listen. A mode whose nodes have nothing
    /// else to find each other by turns it on here.</summary>
    internal bool Announces => Discovery.Multicast ?? Mode == MembershipMode.Peers;

    /// <summary>True when nodes find servers that <see cref="Servers"/> does not name.</summary>
    internal bool Discovers => Announces || Discovery.HasSources;

    internal void ChangeServers(IEnumerable<string> servers) => Servers = [.. servers];

    internal List<(string Host, int Port)> ParseServers()
    {
        var parsed = new List<(string Host, int Port)>();
        foreach (string server in Servers)
        {
            if (TryParseServer(server, out string host, out int port)) parsed.Add((host, port));
        }
        return parsed;
    }

    internal MembershipOptions Copy()
    {
        var copy = (MembershipOptions)MemberwiseClone();
        copy.Servers = [.. Servers];
        copy.AllowedNetworks = [.. AllowedNetworks];
        copy.Discovery = Discovery.Copy();
        copy.Peers = Peers.Copy();
        return copy;
    }

    internal void Validate(OptionErrors errors)
    {
        errors.Defined("Membership.Mode", Mode);
        if (Mode == MembershipMode.Client && Servers.Count == 0 && !Discovers)
            errors.Add(
                "Membership.Servers",
                "is empty, and Membership.Mode is Client: add the host's HOST:PORT, or set "
                + "Membership.Discovery.Multicast on all nodes");
        if (Mode == MembershipMode.Loopback && Servers.Count > 0)
            errors.Add(
                "Membership.Servers",
                "is given, and Membership.Mode is Loopback, which asks none: "
                + "set it to Client, or leave the list empty");
        if (Mode == MembershipMode.Loopback && Discovers)
            errors.Add(
                "Membership.Discovery",
                "is set, and Membership.Mode is Loopback, which finds its server on this machine: "
                + "choose another mode, or leave it out");
        Discovery.Validate(errors);
        if (Mode == MembershipMode.Elected && Election is null && ElectionMaker is null)
            errors.Add(
                "Membership.Election",
                "is null, and Membership.Mode is Elected: set an election, such as that of a coordination service");
        for (int index = 0; index < Servers.Count; index++)
        {
            if (!TryParseServer(Servers[index], out _, out _))
            {
                errors.Add(
                    $"Membership.Servers[{index}]",
                    $"'{Servers[index]}' is not HOST:PORT, such as 10.0.0.5:14999 or [fd00::5]:14999");
            }
        }
        if (Mode == MembershipMode.Peers && Servers.Count == 0 && !Discovers)
            errors.Add(
                "Membership.Servers",
                "is empty, and Membership.Mode is Peers: add HOST:PORT of some nodes that may serve, or leave "
                + "Membership.Discovery.Multicast on");
        Peers.Validate(errors);
        errors.InRange("Membership.Port", Port, 1, 65_535);
        if (Address is { } address && InterfaceSelector.TryParse(address, out _) is { } fault)
            errors.Add("Membership.Address", fault);
        for (int index = 0; index < AllowedNetworks.Count; index++)
        {
            if (!InterfaceSelector.TryParseNetwork(AllowedNetworks[index], out _))
                errors.Add(
                    $"Membership.AllowedNetworks[{index}]",
                    $"'{AllowedNetworks[index]}' is not a network such as 10.77.0.0/24 or fd00::/64");
        }
        bool detects = FailureTimeout != Timeout.InfiniteTimeSpan;
        if (detects)
            errors.Positive("Membership.FailureTimeout", FailureTimeout, "or infinite to switch the detector off");
        errors.AtLeast("Membership.HeartbeatInterval", HeartbeatInterval, TimeSpan.FromMilliseconds(1));
        if (detects && FailureTimeout > TimeSpan.Zero && HeartbeatInterval > FailureTimeout / 2)
        {
            errors.Add(
                "Membership.HeartbeatInterval",
                $"{HeartbeatInterval} is more than half of Membership.FailureTimeout ({FailureTimeout}): "
                + "lower it, or raise that");
        }
        errors.NotNegative("Membership.BatchWindow", BatchWindow);
        errors.NotNegative("Membership.ReconnectGrace", ReconnectGrace);
        errors.Positive("Membership.JoinTimeout", JoinTimeout);
        errors.Positive("Membership.InstallTimeout", InstallTimeout);
        errors.InRange("Membership.MaxRegions", MaxRegions, 1, int.MaxValue);
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

    /// <summary>The text of a server, "host:port": an IPv6 address is in brackets.</summary>
    internal static string PlaceOf(string host, int port) =>
        host.Contains(':', StringComparison.Ordinal) ? $"[{host}]:{port}" : $"{host}:{port}";

    /// <summary>Parses "host:port"; an IPv6 address must be in brackets, and is returned without them.</summary>
    internal static bool TryParseServer(string? text, out string host, out int port)
    {
        host = "";
        port = 0;
        int colon = text is null ? -1 : text.LastIndexOf(':');
        if (colon <= 0 || !ushort.TryParse(text.AsSpan(colon + 1), out ushort parsed) || parsed == 0) return false;
        host = text![..colon];
        port = parsed;
        if (host.StartsWith('[') && host.EndsWith(']'))
        {
            host = host[1..^1];
            return IPAddress.TryParse(host, out IPAddress? address)
                && address.AddressFamily == AddressFamily.InterNetworkV6;
        }
        return !string.IsNullOrWhiteSpace(host) && !host.Contains(':', StringComparison.Ordinal);
    }
}
