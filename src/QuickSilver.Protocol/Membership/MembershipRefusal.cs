namespace QuickSilver.Protocol.Membership;

/// <summary>The reason why the membership server refused a request or removed a node.</summary>
internal enum MembershipRefusal : byte
{
    /// <summary>Nothing was refused.</summary>
    None = 0,

    /// <summary>The frame broke the format.</summary>
    BadFrame,

    /// <summary>The server speaks another version.</summary>
    WrongVersion,

    /// <summary>The server serves another cluster.</summary>
    WrongCluster,

    /// <summary>The group exists in another mode.</summary>
    ModeMismatch,

    /// <summary>The group's name is empty, too long, not UTF-8, not one line, or reserved.</summary>
    BadGroupName,

    /// <summary>
    /// The node has been removed: it was silent for the failure timeout, or its connection broke and it did not return.
    /// </summary>
    Removed,

    /// <summary>Another process with the same address and a higher incarnation has registered.</summary>
    Replaced,

    /// <summary>The server is at one of its limits.</summary>
    Full,

    /// <summary>
    /// The node has been removed although its connection to the server stood: for a failure timeout other members got
    /// no answer from it, or it got none.
    /// </summary>
    Unreachable,

    /// <summary>
    /// The node was in a newly founded cluster, and an older one of the same name has reached its server: the older one
    /// continues.
    /// </summary>
    Superseded,

    /// <summary>The registration names the number of another node, without the secret of that node's welcome.</summary>
    Unproven,

    /// <summary>
    /// The node is at its limit: of groups that it is in, or of groups made for it that are still known.
    /// </summary>
    TooManyGroups,

    /// <summary>
    /// An address that the node names for its datagrams is refused: it differs from the connection's source, belongs to
    /// two hosts, or is another node's.
    /// </summary>
    ForeignAddress,

    /// <summary>The node is of another cluster of the same name, founded by another server.</summary>
    OtherCluster,

    /// <summary>
    /// The node has been removed although its control datagrams pass: for one or two failure timeouts no packet of any
    /// length passed between it and other members, in one direction.
    /// </summary>
    PacketsBlocked,

    /// <summary>One of the two, node or server, is secured, and the other is not.</summary>
    OtherSecurity,

    /// <summary>The group exists in the mode <see cref="GroupModes.Reliable"/>, and another was asked for.</summary>
    GroupIsReliable,

    /// <summary>The group exists in the mode <see cref="GroupModes.Lateral"/>, and another was asked for.</summary>
    GroupIsLateral,

    /// <summary>The group exists in the mode <see cref="GroupModes.Timed"/>, and another was asked for.</summary>
    GroupIsTimed,

    /// <summary>The group exists in the mode <see cref="GroupModes.Hybrid"/>, and another was asked for.</summary>
    GroupIsHybrid,

    /// <summary>The application's authorization does not let the node into the group.</summary>
    NotAllowed,

    /// <summary>As many nodes with its identity are registered as may be.</summary>
    TooManyNodes,

    /// <summary>The node's name is not one of those that its identity may use.</summary>
    ForeignName,

    /// <summary>
    /// The node has been removed although it was heard: for a failure timeout it confirmed none of the server's frames.
    /// </summary>
    Unconfirmed,

    /// <summary>
    /// The node has been removed because it was behind its region for longer than a sender waits for a slow member,
    /// while others kept up.
    /// </summary>
    TooSlow,

    /// <summary>The node's addresses are of IPv4 and those of the cluster's nodes of IPv6, or the reverse.</summary>
    OtherFamily,

    /// <summary>No cipher is one that the node and all nodes of the cluster have.</summary>
    NoCommonCipher,

    /// <summary>The group is ordered, and the request names another mode.</summary>
    GroupIsOrdered,
}
