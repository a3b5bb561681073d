using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// The receivers of a stream's beacons: all members, or one by unicast. Where no multicast arrives, no member knows
/// that it misses anything. So once beacons change nothing, or nobody has been heard for a second, one member is
/// informed by unicast, another each time: it asks for the packets that it lacks, and a round informs the others. O(1),
/// beside removed members.
/// </summary>
internal sealed class BeaconReceivers(SendContext context, RegionView view, BeaconClock clock)
{
    private static readonly TimeSpan UnheardAfter = TimeSpan.FromSeconds(1);

    private Instant _heardAt;
    private int _informed;

    /// <summary>Feedback has come from the view.</summary>
    public void OnHeard(Instant now) => _heardAt = now;

    /// <summary>The index in the view of the member that the next beacon goes to; -1: it goes to all.</summary>
    /// <param name="unstableSince">When the oldest packet that is not known stable was sent.</param>
    /// <param name="now">The present instant.</param>
    public int Next(Instant unstableSince, Instant now) =>
        clock.IsInVain || IsUnheard(unstableSince, now) ? NextToInform() : -1;

    // Packets may be so close to each other that hardly a beacon follows another: then the time without feedback tells.
    private bool IsUnheard(Instant unstableSince, Instant now)
    {
        Instant since = _heardAt > unstableSince ? _heardAt : unstableSince;
        return now - since >= UnheardAfter;
    }

    private int NextToInform()
    {
        NodeInfo[] members = view.Members;
        for (int step = 0; step < members.Length; step++)
        {
            int index = (_informed + 1 + step) % members.Length;
            if (members[index].IsRemoved || members[index].Number.Key == context.SelfKey) continue;
            _informed = index;
            context.Settings.Probes.Reached("beacons change nothing and one goes to a member by unicast");
            return index;
        }
        return -1;
    }
}
