using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Runtime;

/// <summary>
/// Logs that datagrams arrive from other addresses than their senders', with the latest one: either a stranger sends in
/// a member's name, or the network translates addresses. In a secured cluster it also logs datagrams that no member has
/// sealed. Each at most once a minute. Core thread only.
/// </summary>
/// <param name="services">The node's log and name.</param>
internal sealed class ForgeryReports(NodeServices services)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMinutes(1);

    private ulong _reported;
    private Instant _notBefore;
    private ulong _reportedUnsealed;
    private Instant _unsealedNotBefore;

    /// <summary>Compares the rejection count with the last one reported.</summary>
    public void Check(NodeStack stack, Instant now)
    {
        RejectCounters rejected = stack.Counters.Rejected;
        CheckUnsealed(
            rejected[RejectReason.Gate] + rejected[RejectReason.BadTag] + rejected[RejectReason.NotAllowed], now);
        ulong count = rejected[RejectReason.WrongSource];
        // A new stack counts from 0.
        if (count < _reported) _reported = 0;
        if (count == _reported || now < _notBefore) return;
        _notBefore = now + Pause;
        ForgedDatagram last = stack.LastForged;
        string sender = stack.Cluster.FindNode(last.Sender)?.Name ?? "?";
        services.Log.Post(
            (services.Name, Count: count - _reported, last.Kind, sender, last.Source),
            static (logger, s) =>
                Log.DatagramsForged(logger, s.Name, s.Count, s.Kind.ToString(), s.sender, s.Source.ToString()));
        _reported = count;
    }

    // Copies that come twice and views that are over are no sign of anybody: they are not among these.
    private void CheckUnsealed(ulong count, Instant now)
    {
        if (count < _reportedUnsealed) _reportedUnsealed = 0;
        if (count == _reportedUnsealed || now < _unsealedNotBefore) return;
        _unsealedNotBefore = now + Pause;
        services.Log.Post(
            (services.Name, Count: count - _reportedUnsealed),
            static (logger, s) => Log.DatagramsUnsealed(logger, s.Name, s.Count));
        _reportedUnsealed = count;
    }
}
