using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Gateways;
using QuickSilver.Protocol.Sites.Overlay;

namespace QuickSilver.Testing.Sites;

/// <summary>Which sites had members of a group when, and which of that the sender of a record knew.</summary>
internal sealed class SiteMembers(SiteWorld world)
{
    private readonly Dictionary<(StreamId Stream, ulong Number), Sending> _sent = [];
    private readonly Dictionary<(int Site, uint Group), Stay> _stays = [];
    private readonly Dictionary<(int Sender, uint Group), SiteSet> _known = [];
    private readonly Dictionary<(int Sender, uint Group, int Site), Instant> _knownUntil = [];

    /// <summary>True once a member has joined or left.</summary>
    public bool HaveChanged { get; private set; }

    /// <summary>A record is sent.</summary>
    public void OnSent(StreamId stream, ulong number)
    {
        Gateway sender = world.Sites[stream.Site].Gateway!;
        _sent[(stream, number)] = new Sending(
            world.Now, sender.MembersOf(stream.Group),
            [.. Enumerable.Range(0, world.Map.Count).Select(sender.NewsOf)]);
    }

    /// <summary>A site's gateway has done something, and may know of other members.</summary>
    public void OnTurn(SimulatedSite sender)
    {
        for (uint group = 1; group <= SiteRun.MostGroups; group++)
        {
            SiteSet now = sender.Gateway!.MembersOf(group), before = _known.GetValueOrDefault((sender.Index, group));
            if (now == before) continue;
            _known[(sender.Index, group)] = now;
            for (SiteSet gone = before.Except(now); !gone.IsEmpty; gone = gone.Without(gone.First))
                _knownUntil[(sender.Index, group, gone.First)] = world.Now;
        }
    }

    /// <summary>Other groups have members at a site.</summary>
    public void OnGroups(SimulatedSite site, uint[] groups)
    {
        HaveChanged = true;
        foreach (uint group in site.Groups.Except(groups)) StayOf(site, group).LeftAt = world.Now;
        // The next that the site tells has them.
        (ulong Node, ulong Number) news = site.Gateway?.NewsOf(site.Index) ?? (site.Node, ulong.MaxValue);
        foreach (uint group in groups.Except(site.Groups)) StayOf(site, group).Before = news;
    }

    /// <summary>True when all members of a group at a site have ever left, or came later than its gateway.</summary>
    public bool HasLeft(SimulatedSite site, uint group) => _stays.ContainsKey((site.Index, group));

    /// <summary>False for a record whose sender has known of no members at a site since it was sent.</summary>
    public bool MayGet(SimulatedSite site, StreamId stream, ulong number)
    {
        if (!_sent.TryGetValue((stream, number), out Sending? sending)) return true;
        if (sending.Known.Contains(site.Index)) return true;
        return _known.GetValueOrDefault((stream.Site, stream.Group)).Contains(site.Index)
            || _knownUntil.GetValueOrDefault((stream.Site, stream.Group, site.Index)) >= sending.At;
    }

    /// <summary>The first record that was sent when members at a site were known, who have stayed, and that did not
    /// come; null when there is none.</summary>
    public ulong? FirstMissing(StreamId stream, ulong last, SimulatedSite site, HashSet<ulong>? got)
    {
        Instant left = _stays.TryGetValue((site.Index, stream.Group), out Stay? stay) ? stay.LeftAt : default;
        for (ulong number = 1; number <= last; number++)
        {
            Sending sending = _sent[(stream, number)];
            if (sending.At <= left || !sending.Known.Contains(site.Index)) continue;
            // Of an earlier stay: its end may have been learned later, and what was under way dropped.
            if (stay is not null && sending.News[site.Index].CompareTo(stay.Before) <= 0) continue;
            if (got is null || !got.Contains(number)) return number;
        }
        return null;
    }

    private Stay StayOf(SimulatedSite site, uint group)
    {
        if (!_stays.TryGetValue((site.Index, group), out Stay? stay)) _stays[(site.Index, group)] = stay = new Stay();
        return stay;
    }

    // What a sender knew when it sent.
    private sealed record Sending(Instant At, SiteSet Known, (ulong Node, ulong Number)[] News);

    // The latest join and leave of a site's members.
    private sealed class Stay
    {
        // The last that the site's gateway had told before the join.
        public (ulong Node, ulong Number) Before { get; set; }

        public Instant LeftAt { get; set; }
    }
}
