using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Runtime;

/// <summary>
/// Tells the application, by its log, that datagrams come from other addresses than their senders': once a minute at most, with the last of them.
/// Either somebody sends in a member's name, or the network changes addresses. Core thread only.
/// </summary>
/// <param name="services">The node's.</param>
internal sealed class ForgeryReports(NodeServices services)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMinutes(1);

    private ulong _told;
    private Instant _notBefore;

    /// <summary>Looks at what has been rejected.</summary>
    public void Look(NodeStack stack, Instant now)
    {
        ulong count = stack.Counters.Rejected[RejectReason.WrongSource];
        // A new stack counts from 0.
        if (count < _told) _told = 0;
        if (count == _told || now < _notBefore) return;
        _notBefore = now + Pause;
        ForgedDatagram last = stack.LastForged;
        string sender = stack.Cluster.FindNode(last.Sender)?.Name ?? "?";
        services.Log.Post(
            (services.Name, Count: count - _told, last.Kind, sender, last.Source),
            static (logger, s) => Log.DatagramsForged(logger, s.Name, s.Count, s.Kind.ToString(), s.sender, s.Source.ToString()));
        _told = count;
    }
}
