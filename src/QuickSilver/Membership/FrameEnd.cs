namespace QuickSilver.Membership;

/// <summary>How a connection that carried frames came to its end.</summary>
internal enum FrameEnd
{
    /// <summary>The other side closed it, between two frames.</summary>
    Closed,

    /// <summary>It broke: it timed out, or a network on the way is down.</summary>
    Broken,

    /// <summary>The other side has reset it: the process there has ended, or does not know the connection.</summary>
    Reset,

    /// <summary>This side closed it.</summary>
    Stopped,

    /// <summary>A frame was announced that is longer than any may be: the other side speaks something else, or is hostile.</summary>
    OversizeFrame,

    /// <summary>A frame without a byte in it.</summary>
    EmptyFrame,

    /// <summary>This side had no room for it: too many connections that had not said who they are, or too many unfinished bytes.</summary>
    NoRoom,

    /// <summary>The other side closed it in the middle of a frame.</summary>
    HalfFrame,

    /// <summary>The other side did not take what was sent to it, beyond the limit of what is kept.</summary>
    SlowConsumer,

    /// <summary>Nothing that makes sense came within the time for it.</summary>
    Silent,
}
