namespace QuickSilver.Monitoring;

/// <summary>Bounds of a node's snapshot. Its writer keeps them, and its reader drops what breaks one.</summary>
internal static class SnapshotLimits
{
    /// <summary>The most bytes of a snapshot on the network.</summary>
    public const int Bytes = 64 << 10;

    /// <summary>The deepest nesting of its JSON.</summary>
    public const int Depth = 8;

    /// <summary>The most members that are behind.</summary>
    public const int Lags = 8;

    /// <summary>The most groups and regions that one of them is behind in.</summary>
    public const int PlacesOfLag = 16;

    /// <summary>The most groups.</summary>
    public const int Groups = 32;

    /// <summary>The most regions.</summary>
    public const int Regions = 64;

    /// <summary>The most members named of one region.</summary>
    public const int MembersOfRegion = 16;

    /// <summary>The most regions of which members are named: names are most of what a monitor reads.</summary>
    public const int RegionsWithMembers = 8;

    /// <summary>The most changes of views.</summary>
    public const int Views = 16;

    /// <summary>The most nodes named of one change, on either side.</summary>
    public const int NamesOfView = 8;

    /// <summary>The most inboxes.</summary>
    public const int Inboxes = 8;

    /// <summary>The longest text of a version, in characters.</summary>
    public const int VersionChars = 64;
}
