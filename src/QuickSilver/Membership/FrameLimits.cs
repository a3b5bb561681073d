using QuickSilver.Protocol.Membership;

namespace QuickSilver.Membership;

/// <summary>What a <see cref="FrameConnection"/> takes from the other side before it gives it up.</summary>
internal sealed record FrameLimits
{
    /// <summary>Bytes of the longest frame.</summary>
    public int Longest { get; init; } = MembershipFrames.MaxFrameBytes;

    /// <summary>Bytes of the longest first frame: a stranger must not fill memory before it has said who it is.</summary>
    public int LongestFirst { get; init; } = MembershipFrames.MaxFrameBytes;

    /// <summary>Shared by all connections of a host: what they hold of frames that have not come whole; null: no limit but each frame's.</summary>
    public UnfinishedFrames? Unfinished { get; init; }

    /// <summary>Bytes kept for a side that does not take what is sent to it.</summary>
    public long MostUnsent { get; init; } = 64L << 20;

    /// <summary>How long nothing may come; infinite: for ever.</summary>
    public TimeSpan Silence { get; init; } = Timeout.InfiniteTimeSpan;
}
