using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Gateways;
using News = (ulong Node, ulong Number);

namespace QuickSilver.Testing.Sites;

/// <summary>
/// Which sites had members of a group when, and which of that the sender of a record knew. A site numbers what it tells
/// of itself, so both are told by these numbers: one turn of a sender may learn of a join and of a leave.
/// </summary>
internal sealed class SiteMembers(SiteWorld world)
{
    private static readonly News Never = (ulong.MaxValue, ulong.MaxValue);

    private readonly Dictionary<(StreamId Stream, ulong Number), Sending> _sent = [];
    private readonly Dictionary<(int Site, uint Group), List<Stay>> _stays = [];
    private readonly Dictionary<(int Site, ulong Node), News[]> _lastKnown = [];

    /// <summary>True once a member has joined or left.</summary>
    public bool HaveChanged { get; private set; }

    /// <summary>A record is sent.</summary>
    public void OnSent(StreamId stream, ulong number)
    {
        Gateway sender = world.Sites[stream.Site].Gateway!;
        _sent[(stream, number)] = new Sending(sender.MembersOf(stream.Group), KnownTo(sender));
    }

    /// <summary>Other groups have members at a site, from the next on that it tells.</summary>
    public void OnGroups(SimulatedSite site, uint[] groups)
    {
        HaveChanged = true;
        News next = NextOf(site);
        foreach (uint group in site.Groups.Except(groups)) StaysOf(site, group)[^1].To = next;
        foreach (uint group in groups.Except(site.Groups))
            StaysOf(site, group).Add(new Stay { From = next, To = Never });
    }

    /// <summary>A gateway is about to die.</summary>
    public void OnKilled(SimulatedSite site) => _lastKnown[(site.Index, site.Node)] = KnownTo(site.Gateway!);

    /// <summary>True when all members of a group at a site have ever left, or came later than its gateway.</summary>
    public bool HasLeft(SimulatedSite site, uint group) =>
        StaysOf(site, group).Exists(static stay => stay.From != default || stay.To != Never);

    /// <summary>False for a record whose sender has known of no members at a site since it was sent.</summary>
    public bool MayGet(SimulatedSite site, StreamId stream, ulong number)
    {
        if (!_sent.TryGetValue((stream, number), out Sending? sending)) return true;
        if (sending.Known.Contains(site.Index)) return true;
        News before = sending.News[site.Index], last = LastKnownTo(stream, site.Index);
        return StaysOf(site, stream.Group).Exists(
            stay => stay.From.CompareTo(last) <= 0 && stay.To.CompareTo(before) > 0);
    }

    /// <summary>The first record that was sent when members at a site were known, who have stayed, and that did not
    /// come; null when there is none.</summary>
    public ulong? FirstMissing(StreamId stream, ulong last, SimulatedSite site, HashSet<ulong>? got)
    {
        News from = StaysOf(site, stream.Group)[^1].From;
        for (ulong number = 1; number <= last; number++)
        {
            Sending sending = _sent[(stream, number)];
            // Of an earlier stay: its end may have been learned later, and what was under way dropped.
            if (!sending.Known.Contains(site.Index) || sending.News[site.Index].CompareTo(from) < 0) continue;
            if (got is null || !got.Contains(number)) return number;
        }
        return null;
    }

    private News[] KnownTo(Gateway gateway) => [.. Enumerable.Range(0, world.Map.Count).Select(gateway.NewsOf)];

    private News LastKnownTo(StreamId stream, int site) =>
        world.Sites[stream.Site] is { Gateway: { } sender } now && now.Node == stream.Node
            ? sender.NewsOf(site) : _lastKnown[(stream.Site, stream.Node)][site];

    // A gateway that begins tells its groups first.
    private static News NextOf(SimulatedSite site) =>
        site.Gateway is { } gateway ? (site.Node, gateway.NewsOf(site.Index).Number + 1) : (site.Node + 1, 1);

    private List<Stay> StaysOf(SimulatedSite site, uint group)
    {
        if (!_stays.TryGetValue((site.Index, group), out List<Stay>? stays))
        {
            stays = site.Groups.Contains(group) ? [new Stay { To = Never }] : [];
            _stays[(site.Index, group)] = stays;
        }
        return stays;
    }

    // What a sender knew when it sent.
    private sealed record Sending(SiteSet Known, News[] News);

    // Members were at a site from the first that it told of them until it told that they had left.
    private sealed class Stay
    {
        public News From { get; init; }

        public News To { get; set; }
    }
}
