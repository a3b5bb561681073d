namespace QuickSilver.Runtime;

/// <summary>Says what the nodes of a cluster have in common, so that somebody whose nodes do not meet can
/// compare.</summary>
internal static class MeetingPlace
{
    private static string Places(MembershipOptions membership)
    {
        IEnumerable<string> places = membership.Servers;
        if (membership.Discovers) places = places.Append("an address that discovery finds");
        return string.Join(" or ", places);
    }

    /// <summary>The cluster, and where its membership server is looked for.</summary>
    public static string Of(QuickSilverOptions options)
    {
        MembershipOptions membership = options.Membership;
        string cluster = $"cluster '{options.ClusterName}'";
        return membership.Mode switch
        {
            MembershipMode.Client => $"{cluster}, a membership server at {Places(membership)}",
            MembershipMode.Host => $"{cluster}, this process as its membership server at port {membership.Port}",
            MembershipMode.Elected => $"{cluster}, a membership server elected by {membership.Election!.Describe()}",
            MembershipMode.Peers => $"{cluster}, a membership server elected by its nodes, which are found at "
                + Places(membership),
            _ => $"{cluster}, port {membership.Port} of this machine, and the user {Environment.UserName} with the "
                + "same home folder, where the key is",
        };
    }
}
