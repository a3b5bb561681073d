namespace QuickSilver.Protocol.Membership.Discovery;

/// <summary>What an announcement offers.</summary>
internal enum AnnouncementKind : byte
{
    /// <summary>Nothing: there is no such announcement.</summary>
    None,

    /// <summary>A server that admits nodes.</summary>
    Server,

    /// <summary>A process that may serve, and admits nobody yet.</summary>
    Candidate,
}
