using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Membership;

/// <summary>The limits beyond which a <see cref="FrameConnection"/> disconnects the other side.</summary>
internal sealed record FrameLimits
{
    /// <summary>The limit of a frame, in bytes.</summary>
    public int Longest { get; init; } = MembershipFrames.MaxFrameBytes;

    /// <summary>The limit of the first frame, in bytes: an unidentified peer must not fill memory.</summary>
    public int LongestFirst { get; init; } = MembershipFrames.MaxFrameBytes;

    /// <summary>The common limit on unfinished frames of all connections of a host; null leaves the limit of each frame
    /// only.</summary>
    public UnfinishedFrames? Unfinished { get; init; }

    /// <summary>The limit of bytes queued for a peer that does not read.</summary>
    public long MaxUnsentBytes { get; init; } = 64L << 20;

    /// <summary>The time after which a silent connection ends; infinite for never.</summary>
    public TimeSpan Silence { get; init; } = Timeout.InfiniteTimeSpan;
}
