using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Recovery;

/// <summary>The settings of recovery.</summary>
internal sealed record RecoverySettings
{
    /// <summary>
    /// Shortest time between the starts of two rounds, unless a sender wants feedback immediately. In the papers: a
    /// second.
    /// </summary>
    public TimeSpan MinTokenInterval { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>
    /// Time between the starts of two rounds while data flows, no member is behind and no sender waits.
    /// </summary>
    public TimeSpan QuietTokenInterval { get; init; } = TimeSpan.FromMilliseconds(30);

    /// <summary>True to pull a gap at once rather than wait for the token.</summary>
    public bool EagerPull { get; init; } = true;

    /// <summary>Minimum age of a gap before it is pulled.</summary>
    public TimeSpan ReorderGrace { get; init; } = TimeSpan.FromMicroseconds(250);

    /// <summary>Limit on the bytes of packets cached, over all streams.</summary>
    public long CacheBytes { get; init; } = 256L << 20;

    /// <summary>Time that a hop waits for its acknowledgement before it is sent again.</summary>
    public TimeSpan HopTimeout { get; init; } = TimeSpan.FromMilliseconds(25);

    /// <summary>Number of times a hop is sent before its member is skipped.</summary>
    public int HopSends { get; init; } = 4;

    /// <summary>The longer of the two intervals: the longest time between rounds.</summary>
    internal TimeSpan LongestTokenInterval =>
        QuietTokenInterval > MinTokenInterval ? QuietTokenInterval : MinTokenInterval;

    /// <summary>
    /// Number of times a hop is sent to a member that was skipped twice: once, or as often as fits half of a longer
    /// interval between rounds. So a few lost datagrams, seconds apart, do not make a living member a silent one.
    /// </summary>
    /// <param name="timeout">Time that each of them waits for its acknowledgement.</param>
    internal int ProbeSends(TimeSpan timeout) => Math.Clamp((int)(MinTokenInterval / (timeout * 2)), 1, HopSends);

    /// <summary>
    /// Minimum age of the cutoff: a token never reports younger packets as missing (relative asynchrony).
    /// </summary>
    public TimeSpan CutoffAge { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// Time that a member of rank 0 waits for a token, while data is unstable, before it takes the lead. Rank n waits n
    /// + 1 times as long.
    /// </summary>
    public TimeSpan TakeoverPatience { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>Hooks by which simulator tests observe and alter internals.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
