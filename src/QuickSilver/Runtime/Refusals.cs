using QuickSilver.Protocol.Membership;

namespace QuickSilver.Runtime;

/// <summary>What the membership server refused, as exceptions.</summary>
internal static class Refusals
{
    /// <summary>The server refused to let this node into a group.</summary>
    public static QuickSilverException OfJoin(MembershipRefusal refusal, string groupName) => refusal switch
    {
        MembershipRefusal.ModeMismatch => new QuickSilverException(ErrorCode.GroupModeMismatch, $"The group '{groupName}' exists in another mode."),
        _ => new QuickSilverException(
            ErrorCode.MembershipRefused, $"The membership server refused to let this node into '{groupName}': {Text(refusal)}."),
    };

    /// <summary>The server refused this node before it was in.</summary>
    public static QuickSilverException OfStart(MembershipRefusal refusal) => refusal switch
    {
        MembershipRefusal.WrongVersion => new IncompatibleVersionException(
            ErrorCode.IncompatibleVersion, "The membership server speaks another version."),
        MembershipRefusal.BadFrame => new WireProtocolException(
            ErrorCode.ProtocolViolation, "What the membership server and this node said to each other broke the protocol."),
        _ => new MembershipUnavailableException(ErrorCode.MembershipRefused, $"The membership server refused this node: {Text(refusal)}."),
    };

    /// <summary>The server put this node out.</summary>
    public static NodeEvictedException OfEviction(MembershipRefusal refusal, long inDoubt) =>
        new(ErrorCode.Evicted, $"The node was removed from the cluster: {Text(refusal)}.") { MessagesInDoubt = inDoubt };

    /// <summary>A reason, for people.</summary>
    public static string Text(MembershipRefusal refusal) => refusal switch
    {
        MembershipRefusal.WrongCluster => "it serves another cluster",
        MembershipRefusal.BadGroupName => "the name is not allowed",
        MembershipRefusal.Removed => "it was silent for longer than Membership.FailureTimeout, or its connection broke and did not come back",
        MembershipRefusal.Unreachable =>
            "for Membership.FailureTimeout no datagrams passed between it and other members, though its connection to the server stood",
        MembershipRefusal.Replaced => "another process with its address has taken its place",
        MembershipRefusal.Full => "the server is at one of its limits",
        _ => refusal.ToString(),
    };
}
