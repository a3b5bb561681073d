namespace QuickSilver.Protocol.Membership;

/// <summary>Why the membership server refused something.</summary>
public enum MembershipRefusal : byte
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

    /// <summary>The node has been removed: it was silent for the failure timeout, or its connection broke and did not come back.</summary>
    Removed,

    /// <summary>Another process with the same address and a higher incarnation has registered.</summary>
    Replaced,

    /// <summary>The server is at one of its limits.</summary>
    Full,

    /// <summary>The node has been removed though its channel to the server stood: for a whole failure timeout other members got no answer from it, or
    /// it got none.</summary>
    Unreachable,

    /// <summary>
    /// The node was in a cluster that had just been founded, and an older one of the same name has come to its server: that one goes on.
    /// </summary>
    Superseded,

    /// <summary>The registration names a number that another node has: it did not bring what that node's welcome brought.</summary>
    Unproven,

    /// <summary>The node is in as many groups, or has made as many that are still known, as one node may.</summary>
    TooManyGroups,

    /// <summary>An address that the node names for its datagrams is not the one that its connection comes from, not one host's, or another node's.
    /// </summary>
    ForeignAddress,

    /// <summary>The node is of another cluster of the same name, which was founded by another server.</summary>
    OtherCluster,

    /// <summary>
    /// The node has been removed though its control passes: for a whole failure timeout or two no packet, of whatever
    /// length, arrived at it from other members, or at them from it.
    /// </summary>
    PacketsBlocked,
}
