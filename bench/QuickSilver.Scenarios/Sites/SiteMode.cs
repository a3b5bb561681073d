namespace QuickSilver.Scenarios.Sites;

/// <summary>How messages go to the members of all sites.</summary>
internal enum SiteMode
{
    /// <summary>A reliable group that spans sites.</summary>
    Reliable,

    /// <summary>The order of all sites, delivered once its place is known.</summary>
    Agreed,

    /// <summary>The same, delivered once all members of all sites hold it.</summary>
    Safe,
}
