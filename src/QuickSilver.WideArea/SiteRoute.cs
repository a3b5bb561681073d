namespace QuickSilver.WideArea;

/// <summary>How a gateway reaches another site. Part of <see cref="SiteGatewayStatistics"/>, and told to nodes of the
/// site by <see cref="SiteView.GetRoutes"/>. Immutable.</summary>
/// <param name="Site">Name of the site.</param>
/// <param name="Via">Name of the neighbour by which messages go there, the site itself included; null while it cannot
/// be reached.</param>
public sealed record SiteRoute(string Site, string? Via)
{
    /// <summary>The gateway's own link to that site; null when it has none.</summary>
    public SiteLinkStatistics? Link { get; init; }
}
