using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Recovery;

/// <summary>What recovery is told.</summary>
public sealed record RecoverySettings
{
    /// <summary>Shortest time between the starts of two rounds, unless a sender wants feedback at once. The papers': a second.</summary>
    public TimeSpan MinTokenInterval { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>Time between the starts of two rounds while data flows, nothing is left behind and nobody waits.</summary>
    public TimeSpan QuietTokenInterval { get; init; } = TimeSpan.FromMilliseconds(30);

    /// <summary>Pull a gap at once, rather than wait for the token.</summary>
    public bool EagerPull { get; init; } = true;

    /// <summary>How old a gap must be before it is pulled.</summary>
    public TimeSpan ReorderGrace { get; init; } = TimeSpan.FromMicroseconds(250);

    /// <summary>Most bytes of packets cached, over all streams.</summary>
    public long CacheBytes { get; init; } = 256L << 20;

    /// <summary>How long a hop waits for its acknowledgement before it is sent again.</summary>
    public TimeSpan HopTimeout { get; init; } = TimeSpan.FromMilliseconds(25);

    /// <summary>How often a hop is sent before its member is skipped.</summary>
    public int HopSends { get; init; } = 4;

    /// <summary>The longer of the two intervals: how far rounds may be apart.</summary>
    internal TimeSpan LongestTokenInterval => QuietTokenInterval > MinTokenInterval ? QuietTokenInterval : MinTokenInterval;

    /// <summary>How often it is sent to a member that was skipped twice: once, or as often as half of a longer pause between rounds has room for,
    /// lest a few lost datagrams that are seconds apart make a living member a silent one.</summary>
    /// <param name="timeout">How long each of them is waited for.</param>
    internal int ProbeSends(TimeSpan timeout) => Math.Clamp((int)(MinTokenInterval / (timeout * 2)), 1, HopSends);

    /// <summary>How old the cutoff is at least: packets younger than it are never called missing in a token (relative asynchrony).</summary>
    public TimeSpan CutoffAge { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>
    /// How long a member of rank 0 waits for a token, while data is unstable, before it takes the lead; rank n waits n + 1 times as long.
    /// </summary>
    public TimeSpan TakeoverPatience { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>What tests of the simulator see and move inside.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
