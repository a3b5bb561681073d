using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Whether anything reaches this node on the data network, and anybody answers, while it asks for something. A member that is alone in its view and
/// deaf has no neighbour that would find out, and what it says still arrives: only it can tell. And when two find each other silent, who is answered
/// by others is neither deaf nor mute.
/// <para>
/// Awkward case: who asks nothing may hear nothing, and be well; so the time begins anew when nothing was asked for two seconds, in which whoever
/// waits for something asks again. O(1) at each look, nothing per datagram but a count. Core thread only.
/// </para>
/// </summary>
/// <param name="rooms">The rooms, whose counters say what was asked, and what was answered.</param>
/// <param name="router">Counts what was read of others.</param>
internal sealed class ReceiveMonitor(StackParts rooms, DatagramRouter router)
{
    private static readonly TimeSpan AsksAgain = TimeSpan.FromSeconds(2);

    private ulong _asked;
    private ulong _heard;
    private ulong _answered;
    private Instant _askedAt;
    private Instant _unheardSince;
    private Instant _unansweredSince;

    /// <summary>Adds what holds now to the observations.</summary>
    public void Observe(NodeObservations observed, Instant now)
    {
        ulong asked = rooms.RecoveryCounters.ControlSent + rooms.DisseminationCounters.Beacons;
        ulong answered = rooms.RecoveryCounters.Answers + rooms.DisseminationCounters.Answers;
        if (asked != _asked && _unheardSince != Instant.Zero) _askedAt = now;
        bool isAsking = _askedAt != Instant.Zero && now - _askedAt <= AsksAgain;
        if (!isAsking || router.HeardOthers != _heard) _unheardSince = now;
        if (!isAsking || answered != _answered) _unansweredSince = now;
        _asked = asked;
        _heard = router.HeardOthers;
        _answered = answered;
        observed.UnheardFor = now - _unheardSince;
        observed.UnansweredFor = now - _unansweredSince;
    }
}
