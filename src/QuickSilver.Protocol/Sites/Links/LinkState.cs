namespace QuickSilver.Protocol.Sites.Links;

/// <summary>The life of a link, as one end sees it.</summary>
internal enum LinkState : byte
{
    /// <summary>Not begun, or ended.</summary>
    Down,

    /// <summary>Hellos go, and the other end is awaited.</summary>
    Connecting,

    /// <summary>Packets go.</summary>
    Up,

    /// <summary>It has failed, and rests before it connects again.</summary>
    Failed,
}
