using QuickSilver.Protocol.Membership;

namespace QuickSilver.Membership;

/// <summary>A membership host's counters. Any thread.</summary>
internal sealed class HostCounters
{
    private readonly long[] _refused = new long[Enum.GetValues<MembershipRefusal>().Length];
    private readonly long[] _refusalTold = new long[Enum.GetValues<MembershipRefusal>().Length];
    private readonly long[] _endTold = new long[Enum.GetValues<FrameEnd>().Length];
    private readonly long[] _ended = new long[Enum.GetValues<FrameEnd>().Length];
    private long _accepted;

    /// <summary>Connections accepted.</summary>
    public long Accepted => Volatile.Read(ref _accepted);

    /// <summary>Connections refused for a reason.</summary>
    public long RefusedFor(MembershipRefusal reason) => Volatile.Read(ref _refused[(int)reason]);

    /// <summary>Connections that ended in a way.</summary>
    public long EndedBy(FrameEnd end) => Volatile.Read(ref _ended[(int)end]);

    internal void CountAccepted() => Interlocked.Increment(ref _accepted);

    /// <returns>True when it is to be told: once a second of each kind.</returns>
    internal bool CountRefused(MembershipRefusal reason)
    {
        Interlocked.Increment(ref _refused[(int)reason]);
        return IsToBeTold(ref _refusalTold[(int)reason]);
    }

    /// <returns>True when it is to be told: once a second of each kind.</returns>
    internal bool CountEnded(FrameEnd end)
    {
        Interlocked.Increment(ref _ended[(int)end]);
        return IsToBeTold(ref _endTold[(int)end]);
    }

    // The second that the last was told in, counted from 1.
    private static bool IsToBeTold(ref long told)
    {
        long second = (Environment.TickCount64 / 1000) + 1;
        long before = Volatile.Read(ref told);
        return second != before && Interlocked.CompareExchange(ref told, second, before) == before;
    }
}
