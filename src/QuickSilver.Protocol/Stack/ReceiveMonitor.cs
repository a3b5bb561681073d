using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Detects whether anything reaches this node on the data network, and whether anybody answers, while it asks for
/// something. A deaf member that is alone in its view has no neighbour to find out, and its own datagrams still arrive:
/// only it can notice. And when two members find each other silent, the one that others answer is neither deaf nor
/// mute.
/// <para>
/// Awkward case: a node that asks nothing may hear nothing, and be well. So the time starts again when nothing was
/// asked for two seconds; a node that waits for something asks again within them. O(1) at each observation, one count
/// per datagram. Core thread only.
/// </para>
/// </summary>
/// <param name="rooms">The rooms, whose counters show the requests and the answers.</param>
/// <param name="router">Counts the datagrams read from others.</param>
internal sealed class ReceiveMonitor(StackParts rooms, DatagramRouter router)
{
    // How long a node counts as asking after it has asked.
    private static readonly TimeSpan AskInterval = TimeSpan.FromSeconds(2);

    private ulong _asked;
    private ulong _heard;
    private ulong _answered;
    private Instant _askedAt;
    private Instant _unheardSince;
    private Instant _unansweredSince;

    /// <summary>Adds the present state to the observations.</summary>
    public void Observe(NodeObservations observed, Instant now)
    {
        ulong asked = rooms.RecoveryCounters.ControlSent + rooms.DisseminationCounters.Beacons
            + rooms.OrderedCounters.Calls;
        ulong answered = rooms.RecoveryCounters.Answers + rooms.DisseminationCounters.Answers
            + rooms.OrderedCounters.CallsAnswered;
        if (asked != _asked && _unheardSince != Instant.Zero) _askedAt = now;
        bool isAsking = _askedAt != Instant.Zero && now - _askedAt <= AskInterval;
        if (!isAsking || router.HeardOthers != _heard) _unheardSince = now;
        if (!isAsking || answered != _answered) _unansweredSince = now;
        _asked = asked;
        _heard = router.HeardOthers;
        _answered = answered;
        observed.UnheardFor = now - _unheardSince;
        observed.UnansweredFor = now - _unansweredSince;
    }
}
