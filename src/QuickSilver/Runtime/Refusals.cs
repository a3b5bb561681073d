using System.Net;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Runtime;

/// <summary>Converts refusals of the membership server to exceptions and text.</summary>
internal static class Refusals
{
    /// <summary>The exception for a server that refused to admit this node to a group.</summary>
    public static QuickSilverException OfJoin(
        MembershipRefusal refusal, string groupName, GroupMode asked, bool isPublisher = false) => refusal switch
        {
            MembershipRefusal.GroupIsReliable => OfMode(groupName, GroupMode.Reliable, false, asked, isPublisher),
            MembershipRefusal.GroupIsLateral => OfMode(groupName, GroupMode.Lateral, false, asked, isPublisher),
            MembershipRefusal.GroupIsTimed => OfMode(groupName, GroupMode.Timed, false, asked, isPublisher),
            MembershipRefusal.GroupIsOrdered => OfMode(groupName, GroupMode.Ordered, false, asked, isPublisher),
            MembershipRefusal.GroupIsHybrid => OfMode(groupName, GroupMode.Reliable, true, asked, isPublisher),
            MembershipRefusal.NotAllowed when RingGroup.Is(groupName) => new QuickSilverException(
                ErrorCode.NotAuthorized,
                "This node may not be in ordered groups, nor publish to them: Security.Authorize at the membership "
                + $"server says no to '{groupName}', the group of all nodes that do. Let it join that one, too."),
            MembershipRefusal.NotAllowed when StatisticsGroup.Is(groupName) => new QuickSilverException(
                ErrorCode.NotAuthorized,
                "This node may not monitor the cluster: Security.Authorize at the membership server says no to a "
                + $"request with IsMonitor, for the group '{groupName}'."),
            MembershipRefusal.BadGroupName when StatisticsGroup.Is(groupName) => new QuickSilverException(
                ErrorCode.MembershipRefused,
                "The cluster cannot be monitored: its membership server runs a version without cluster-wide "
                + "statistics. Upgrade it first."),
            MembershipRefusal.NotAllowed => new QuickSilverException(
                ErrorCode.NotAuthorized,
                $"This node may not {(isPublisher ? "publish to" : "join")} '{groupName}': "
                + "Security.Authorize at the membership server says no."),
            _ => new QuickSilverException(
                ErrorCode.MembershipRefused,
                $"The membership server refused to let this node {(isPublisher ? "publish to" : "into")} "
                + $"'{groupName}': {Text(refusal)}."),
        };

    /// <summary>The exception for a group that has another mode, or another value of
    /// <see cref="ReliableMode.Hybrid"/>.</summary>
    public static QuickSilverException OfMode(
        string groupName, GroupMode mode, bool isHybrid, GroupMode asked, bool isPublisher)
    {
        string text = mode != asked ? $"is in mode {mode}, not {asked}"
            : isHybrid ? "has an address of its own" : "has no address of its own";
        string set = $"{(isPublisher ? nameof(PublisherOptions) : nameof(GroupOptions))}.Mode = "
            + (isHybrid ? "new ReliableMode { Hybrid = true }" : $"new {mode}Mode()");
        return new(ErrorCode.GroupModeMismatch, $"The group '{groupName}' {text}: set {set}, or use another name.");
    }

    /// <summary>The exception for a server that refused this node before its admission.</summary>
    /// <param name="refusal">The server's reason.</param>
    /// <param name="spoken">The versions of the protocol that the cluster speaks, where the server has named
    /// them.</param>
    public static QuickSilverException OfStart(MembershipRefusal refusal, ProtocolVersions? spoken = null) =>
        refusal switch
        {
            MembershipRefusal.WrongVersion => new QuickSilverException(
                ErrorCode.IncompatibleVersion,
                $"This node speaks {ProtocolVersions.Spoken} of the protocol, and the cluster "
                + $"{spoken?.ToString() ?? "another version"}. Upgrade by steps of one minor version of QuickSilver, "
                + "all processes before the next step, or use another Membership.Port."),
            MembershipRefusal.OtherSecurity =>
                new MembershipUnavailableException(
                    ErrorCode.AuthenticationFailed, $"The membership server refused this node: {Text(refusal)}."),
            MembershipRefusal.BadFrame => new QuickSilverException(
                ErrorCode.ProtocolViolation,
                "The membership server and this node violated the protocol in their exchange: "
                + "is it QuickSilver that listens there?"),
            MembershipRefusal.TooManyNodes =>
                new MembershipUnavailableException(
                    ErrorCode.TooManyNodesOfIdentity, $"The membership server refused this node: {Text(refusal)}."),
            MembershipRefusal.ForeignName =>
                new MembershipUnavailableException(
                    ErrorCode.NameNotOfIdentity, $"The membership server refused this node: {Text(refusal)}."),
            MembershipRefusal.OtherFamily =>
                new MembershipUnavailableException(
                    ErrorCode.AddressFamilyMismatch, $"The membership server refused this node: {Text(refusal)}."),
            MembershipRefusal.NoCommonCipher =>
                new MembershipUnavailableException(
                    ErrorCode.NoCommonCipher, $"The membership server refused this node: {Text(refusal)}."),
            _ =>
                new MembershipUnavailableException(
                    ErrorCode.MembershipRefused, $"The membership server refused this node: {Text(refusal)}."),
        };

    /// <summary>The exception for a server that evicted this node.</summary>
    /// <param name="refusal">The reason of the eviction.</param>
    /// <param name="inDoubt">Messages sent and not known to be held by every member.</param>
    /// <param name="returns">True when the node comes back by itself.</param>
    /// <param name="pause">The time it stays away first.</param>
    /// <param name="control">Where the node receives control.</param>
    /// <param name="data">Where the node receives data.</param>
    public static NodeEvictedException OfEviction(
        MembershipRefusal refusal, long inDoubt, bool returns, TimeSpan pause, NetEndpoint control, NetEndpoint data)
    {
        string cause = refusal == MembershipRefusal.TooSlow
            ? "it is still slower than the messages come" : "look for a firewall or a changed address";
        string away = pause > TimeSpan.Zero ? $"This has happened before: {cause}. After {pause} it" : "It";
        string next = returns
            ? $"{away} returns under a new Id: join the groups again when it has (NodeRejoined)."
            : "It stops, as Membership.Eviction says: start another.";
        string doubt = inDoubt == 0 ? "" : $" Whether others hold its last {inDoubt} messages is not known.";
        return new NodeEvictedException(
            refusal == MembershipRefusal.TooSlow ? ErrorCode.TooSlow : ErrorCode.Evicted,
            $"The node was removed from the cluster: {Text(refusal)}.{Ports(refusal, control, data)}{doubt} {next}")
        {
            MessagesInDoubt = inDoubt,
        };
    }

    // What a closed firewall looks like: the text names what to open, and how to see that it is open.
    private static string Ports(MembershipRefusal refusal, NetEndpoint control, NetEndpoint data) =>
        refusal is MembershipRefusal.Unreachable or MembershipRefusal.PacketsBlocked
            ? $" It receives at UDP {control} (control) and UDP {data} (data), of Transport.PortRange. To see whether "
                + $"a firewall closes them, run 'tcpdump -n udp port {control.Port} or udp port {data.Port}' here and "
                + $"'echo > /dev/udp/{IpOf(control)}/{control.Port}' in bash at another member, then the other port."
            : "";

    private static string IpOf(NetEndpoint endpoint) => endpoint.Address.ToString();

    /// <summary>The exception for a change of the node's own address.</summary>
    /// <param name="before">The address that is gone.</param>
    /// <param name="after">The address at which the node continues.</param>
    /// <param name="inDoubt">Messages sent and not known to be held by every member.</param>
    /// <param name="returns">True when the node comes back by itself.</param>
    public static NodeEvictedException OfMove(IPAddress before, IPAddress after, long inDoubt, bool returns)
    {
        string next = returns
            ? "It returns there under a new Id: join the groups again when it has (NodeRejoined)."
            : "It stops, as Membership.Eviction says: start another.";
        string doubt = inDoubt == 0 ? "" : $" Whether others hold its last {inDoubt} messages is not known.";
        return new NodeEvictedException(
            ErrorCode.Evicted,
            $"The address of this host has changed from {before} to {after}, and members know the node by the first: "
            + $"it has left the cluster.{doubt} {next}")
        { MessagesInDoubt = inDoubt };
    }

    /// <summary>Describes a refusal for exceptions and logs.</summary>
    public static string Text(MembershipRefusal refusal) => refusal switch
    {
        MembershipRefusal.WrongCluster =>
            "it serves another cluster: compare ClusterName, or choose another Membership.Port",
        MembershipRefusal.BadGroupName => "the name is not allowed",
        MembershipRefusal.Removed =>
            "the server read nothing from it for longer than Membership.FailureTimeout, or its connection broke and "
            + "did not come back in time, or ForgetMemberAsync named it",
        MembershipRefusal.Unreachable =>
            "for Membership.FailureTimeout no datagrams passed between it and other members, "
            + "though its connection to the server stood",
        MembershipRefusal.PacketsBlocked =>
            "no packet passed between it and other members, of any length, though control did: look for a firewall "
            + "that drops the data port, or long datagrams (log records 1224 and 1225 at the members name both ends)",
        MembershipRefusal.Unconfirmed =>
            "it was heard, but confirmed nothing of what the server sent it for Membership.FailureTimeout",
        MembershipRefusal.TooSlow =>
            "it was slower than the messages came, and held senders at their limit for longer than they wait "
            + "(Pending.SlowMemberTimeout), while others kept up. Handlers on the core thread must be short: read the "
            + "group elsewhere (ReadAllAsync), or let the senders wait (Timeout.InfiniteTimeSpan)",
        MembershipRefusal.Replaced => "another process with its address or its name has taken its place",
        MembershipRefusal.Superseded =>
            "an older cluster of the same name came to the server of this one, which had just been founded",
        MembershipRefusal.Unproven => "it named the number of another node, without the proof that it is that node",
        MembershipRefusal.ForeignAddress =>
            "an address that it names for its datagrams is not the one that its connection comes from, or is in use by "
            + "another node: set Transport.Interface to the interface by which the server is reached, "
            + "or Membership.AllowedNetworks at the host (NAT, several cards)",
        MembershipRefusal.OtherCluster =>
            "the server that it has come to serves a cluster of the same name that was founded without this node, and "
            + "others are in groups there. A host that was started again does so when a survivor comes late, and a "
            + "second host of that name does (log record 1132 at the hosts)",
        MembershipRefusal.OtherSecurity =>
            "one of the two, node or server, is secured, and the other is not: set the same Security in all processes "
            + "of the cluster",
        MembershipRefusal.Full => "the server is at one of its limits; its log names it",
        MembershipRefusal.TooManyGroups =>
            "it is in as many groups as one node may be, 65,536, or has made as many that are not over. "
            + "Leave some, then join again",
        MembershipRefusal.NotAllowed =>
            "Security.Authorize at the membership server does not let it into a group that it is in",
        MembershipRefusal.TooManyNodes =>
            "as many nodes with the identity of its certificate are in the cluster as Security.MaxNodesPerIdentity at "
            + "the membership server allows. Stop one, or raise that",
        MembershipRefusal.ForeignName =>
            "its name is not the identity of its certificate, nor does it begin with that and a slash, as "
            + "Security.BindNodeNames at the membership server demands: set NodeName",
        MembershipRefusal.OtherFamily =>
            "the nodes of the cluster receive at addresses of one family, IPv4 or IPv6, and this node at one of the "
            + "other: give its interface an address of theirs, or set Transport.Interface to one that has it",
        MembershipRefusal.NoCommonCipher =>
            "no cipher is one that it and all nodes of the cluster have. Leave Security.Cipher at Auto, or set the "
            + "same in all processes of the cluster",
        _ => refusal.ToString(),
    };
}
