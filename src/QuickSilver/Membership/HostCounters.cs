using System.Net;
using QuickSilver.Protocol.Membership;
using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>A membership host's counters. Any thread.</summary>
internal sealed class HostCounters
{
    private readonly long[] _refused = new long[Enum.GetValues<MembershipRefusal>().Length];
    private readonly long[] _ended = new long[Enum.GetValues<FrameEnd>().Length];
    private readonly long[] _failed = new long[(int)HandshakeFault.Probe + 1];
    private readonly ReportPace _pace = new();
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

    /// <returns>True when the failure is to be reported: see <see cref="ReportPace"/>.</returns>
    internal bool CountFailed(HandshakeFault fault, IPAddress address)
    {
        Interlocked.Increment(ref _failed[(int)fault]);
        return IsToBeReported(address, fault);
    }

    internal void CountAccepted() => Interlocked.Increment(ref _accepted);

    /// <returns>True when the refusal is to be reported: see <see cref="ReportPace"/>.</returns>
    internal bool CountRefused(MembershipRefusal reason, IPAddress address)
    {
        Interlocked.Increment(ref _refused[(int)reason]);
        return IsToBeReported(address, reason);
    }

    /// <returns>True when the end is to be reported: see <see cref="ReportPace"/>.</returns>
    internal bool CountEnded(FrameEnd end, IPAddress address)
    {
        Interlocked.Increment(ref _ended[(int)end]);
        return end is not (FrameEnd.Closed or FrameEnd.Stopped or FrameEnd.Broken or FrameEnd.Unauthenticated)
            && IsToBeReported(address, end);
    }

    /// <summary>True when another event that a stranger causes is to be reported: see
    /// <see cref="ReportPace"/>.</summary>
    internal bool IsToBeReported(IPAddress address, Enum kind) =>
        _pace.Allows(address, kind, Environment.TickCount64);
}
