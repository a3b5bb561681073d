using QuickSilver.Protocol.Membership;

namespace QuickSilver.Membership;

/// <summary>A membership host's counters. Any thread.</summary>
internal sealed class HostCounters
{
    private readonly long[] _refused = new long[Enum.GetValues<MembershipRefusal>().Length];
    private readonly long[] _ended = new long[Enum.GetValues<FrameEnd>().Length];
    private long _accepted;

    /// <summary>Connections accepted.</summary>
    public long Accepted => Volatile.Read(ref _accepted);

    /// <summary>Connections refused for a reason.</summary>
    public long RefusedFor(MembershipRefusal reason) => Volatile.Read(ref _refused[(int)reason]);

    /// <summary>Connections that ended in a way.</summary>
    public long EndedBy(FrameEnd end) => Volatile.Read(ref _ended[(int)end]);

    internal void CountAccepted() => Interlocked.Increment(ref _accepted);

    /// <returns>True for the first of its kind.</returns>
    internal bool CountRefused(MembershipRefusal reason) => Interlocked.Increment(ref _refused[(int)reason]) == 1;

    /// <returns>True for the first of its kind.</returns>
    internal bool CountEnded(FrameEnd end) => Interlocked.Increment(ref _ended[(int)end]) == 1;
}
