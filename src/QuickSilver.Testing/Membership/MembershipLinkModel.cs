namespace QuickSilver.Testing.Membership;

/// <summary>The channels between nodes and membership server: nothing is lost or overtaken, as with TCP; a lost segment
/// shows as delay of what follows it.</summary>
internal sealed record MembershipLinkModel
{
    /// <summary>Time on the way.</summary>
    public TimeSpan Delay { get; init; } = TimeSpan.FromMicroseconds(200);

    /// <summary>Most that is added to it at random.</summary>
    public TimeSpan Jitter { get; init; } = TimeSpan.FromMicroseconds(300);

    /// <summary>Probability that a frame is held up for <see cref="StallTime"/>.</summary>
    public double Stalls { get; init; }

    /// <summary>The time after which a lost segment is sent again.</summary>
    public TimeSpan StallTime { get; init; } = TimeSpan.FromMilliseconds(200);
}
