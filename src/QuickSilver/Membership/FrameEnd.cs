namespace QuickSilver.Membership;

/// <summary>The cause of the end of a <see cref="FrameConnection"/>.</summary>
internal enum FrameEnd
{
    /// <summary>The other side closed it, between two frames.</summary>
    Closed,

    /// <summary>The connection broke: it timed out, or a network on the path is down.</summary>
    Broken,

    /// <summary>The other side reset it: the process there has ended, or does not know the connection.</summary>
    Reset,

    /// <summary>This side closed it.</summary>
    Stopped,

    /// <summary>The announced length of a frame exceeds the limit: the other side speaks another protocol, or is
    /// hostile.</summary>
    OversizeFrame,

    /// <summary>A frame of length zero arrived.</summary>
    EmptyFrame,

    /// <summary>This side had no room for it: too many unidentified connections, or too many unfinished
    /// bytes.</summary>
    NoRoom,

    /// <summary>The other side closed it in the middle of a frame.</summary>
    HalfFrame,

    /// <summary>The other side did not read, until the limit of unsent bytes was exceeded.</summary>
    SlowConsumer,

    /// <summary>No valid frame arrived within the time limit.</summary>
    Silent,

    /// <summary>The other side demands security, and this one has none.</summary>
    Secured,

    /// <summary>The other side did not prove itself, or does not trust this side: see
    /// <see cref="FrameConnection.Refusal"/>.</summary>
    Unauthenticated,
}
