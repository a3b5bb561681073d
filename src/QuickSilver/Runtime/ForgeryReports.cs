using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Runtime;

/// <summary>
/// Logs that datagrams arrive from other addresses than their senders', at most once a minute, with the latest one.
/// Either a stranger sends in a member's name, or the network translates addresses. Core thread only.
/// </summary>
/// <param name="services">The node's log and name.</param>
internal sealed class ForgeryReports(NodeServices services)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMinutes(1);

    private ulong _reported;
    private Instant _notBefore;

    /// <summary>Compares the rejection count with the last one reported.</summary>
    public void Check(NodeStack stack, Instant now)
    {
        ulong count = stack.Counters.Rejected[RejectReason.WrongSource];
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
}
