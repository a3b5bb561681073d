namespace QuickSilver.Tests.Api;

/// <summary>What nodes of tests choose on a network, where no choice is made for them.</summary>
internal static class TestSecurity
{
    /// <summary>The same choice, as a line for a process of its own.</summary>
    public const string Line = "Security:Mode=None";

    /// <summary>Makes the node host the membership, or be a client of it, without security.</summary>
    public static void OnNetwork(this QuickSilverOptions options, MembershipMode mode)
    {
        options.Membership.Mode = mode;
        options.Security.UseNone();
    }
}
