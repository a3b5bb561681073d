using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Whether anything at all reaches this node on the data network while it asks for something. A member that is alone in its view and deaf has no
/// neighbour that would find out, and what it says still arrives: only it can tell.
/// <para>
/// Awkward case: who asks nothing may hear nothing, and be well; so the time begins anew at each look since which nothing was asked. O(1) at each
/// look, nothing per datagram but a count. Core thread only.
/// </para>
/// </summary>
/// <param name="rooms">The rooms, whose counters say what was asked.</param>
/// <param name="router">Counts what was read of others.</param>
internal sealed class HearingWatch(StackRooms rooms, DatagramRouter router)
{
    private ulong _asked;
    private ulong _heard;
    private Instant _since;

    /// <summary>Adds what holds now to the observations.</summary>
    public void Observe(NodeObservations observed, Instant now)
    {
        ulong asked = rooms.RecoveryCounters.ControlSent + rooms.DisseminationCounters.Beacons;
        bool isInVain = asked != _asked && router.HeardOthers == _heard && _since != Instant.Zero;
        if (!isInVain) _since = now;
        _asked = asked;
        _heard = router.HeardOthers;
        observed.UnheardFor = now - _since;
    }
}
