namespace QuickSilver.Protocol.Sites.Frames;

/// <summary>What a record on a link is.</summary>
internal enum RecordKind : byte
{
    /// <summary>A packet of a group: <see cref="RecordHead"/>, then the payload.</summary>
    Message = 1,

    /// <summary>What a site says of its links and groups, flooded: <see cref="LinkStateBody"/>.</summary>
    LinkState = 2,

    /// <summary>What a site holds, to the site that sent it: <see cref="RecordHead"/>, then <see cref="HeldList"/>.
    /// </summary>
    Held = 3,
}
