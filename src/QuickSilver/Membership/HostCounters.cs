using QuickSilver.Protocol.Membership;
using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>A membership host's counters. Any thread.</summary>
internal sealed class HostCounters
{
    private readonly long[] _refused = new long[Enum.GetValues<MembershipRefusal>().Length];
    private readonly long[] _refusalReported = new long[Enum.GetValues<MembershipRefusal>().Length];
    private readonly long[] _endReported = new long[Enum.GetValues<FrameEnd>().Length];
    private readonly long[] _ended = new long[Enum.GetValues<FrameEnd>().Length];
    private readonly long[] _failed = new long[(int)HandshakeFault.TooLong + 1];
    private readonly long[] _failureReported = new long[(int)HandshakeFault.TooLong + 1];
    private long _accepted;

    /// <summary>Connections accepted.</summary>
    public long Accepted => Volatile.Read(ref _accepted);

    /// <summary>The number of connections refused for a reason.</summary>
    public long RefusedFor(MembershipRefusal reason) => Volatile.Read(ref _refused[(int)reason]);

    /// <summary>The number of connections that ended with a cause.</summary>
    public long EndedBy(FrameEnd end) => Volatile.Read(ref _ended[(int)end]);

    /// <summary>The number of handshakes that failed for a reason.</summary>
    public long FailedFor(HandshakeFault fault) => Volatile.Read(ref _failed[(int)fault]);

    /// <summary>The number of handshakes that failed.</summary>
    public long Failed
    {
        get
        {
            long all = 0;
            for (int fault = 0; fault < _failed.Length; fault++) all += FailedFor((HandshakeFault)fault);
            return all;
        }
    }

    /// <returns>True when the failure is to be reported: once a second for each reason.</returns>
    internal bool CountFailed(HandshakeFault fault)
    {
        Interlocked.Increment(ref _failed[(int)fault]);
        return IsToBeReported(ref _failureReported[(int)fault]);
    }

    internal void CountAccepted() => Interlocked.Increment(ref _accepted);

    /// <returns>True when the refusal is to be reported: once a second for each reason.</returns>
    internal bool CountRefused(MembershipRefusal reason)
    {
        Interlocked.Increment(ref _refused[(int)reason]);
        return IsToBeReported(ref _refusalReported[(int)reason]);
    }

    /// <returns>True when the end is to be reported: once a second for each cause.</returns>
    internal bool CountEnded(FrameEnd end)
    {
        Interlocked.Increment(ref _ended[(int)end]);
        return IsToBeReported(ref _endReported[(int)end]);
    }

    // The argument holds the second of the last report, counted from 1.
    private static bool IsToBeReported(ref long reported)
    {
        long second = (Environment.TickCount64 / 1000) + 1;
        long before = Volatile.Read(ref reported);
        return second != before && Interlocked.CompareExchange(ref reported, second, before) == before;
    }
}
