namespace QuickSilver.WideArea;

/// <summary>What the order of all sites (<see cref="SiteOrder"/>) does without sites that cannot be reached. The same
/// at all gateways of an overlay.</summary>
public enum SiteCutPolicy
{
    /// <summary>It waits for them: nothing is delivered at any site meanwhile. Nothing ever differs.</summary>
    Wait,

    /// <summary>More than half of all sites go on, and the others wait: they deliver nothing. So there is one order,
    /// and who waited is told what it lacks (<see cref="SitesChanged.IsBehind"/>). Each message is delivered once more
    /// than half of all sites have it. It begins when all sites are there.</summary>
    Majority,

    /// <summary>All sites that reach each other go on, in an order of their own. What each side delivers meanwhile the
    /// other never gets. When they reach each other again, one order goes on.</summary>
    GoOn,
}
