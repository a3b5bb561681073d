namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>
/// What a gateway tells other sites of the order, by its own replica of it: each entry of the site once, in the order
/// of their numbers, and a stamp behind them; the site's state when it changes; and what others lack of a view that
/// ends. A gateway that begins tells again what some site may lack.
/// </summary>
/// <param name="merge">The replica.</param>
internal sealed class OrderTeller(SiteMerge merge)
{
    private readonly ulong[] _forwarded = new ulong[merge.Count];
    private OrderViewId _view;
    private OrderViewId _joined;
    private ulong _sent;
    private ulong _clock;
    private ulong _version;
    private ulong _state;

    /// <summary>The last entry that was told.</summary>
    public ulong Sent => _sent;

    /// <summary>True while an entry is to be told and is not here: it is asked for (<see cref="TryFindMissing"/>).
    /// </summary>
    public bool Lacks => TryFindMissing(out _, out _, out _);

    /// <summary>True while an own entry is to be told and is not here: stamps wait for it.</summary>
    public bool LacksOwn
    {
        get
        {
            Look();
            return Next <= merge.Own.Numbered && merge.Own.Kept.Find(Next) is null;
        }
    }

    /// <summary>True while other sites may wait for a stamp.</summary>
    public bool IsStampDue => merge.IsInView && (_view != merge.Agreement.View!.Id || merge.Clock > _clock);

    /// <summary>True while other sites do not know of the latest state.</summary>
    public bool IsStateDue => merge.Agreement.Version != _state;

    /// <summary>True while other sites do not know what this one has.</summary>
    public bool HasNews => IsStateDue || (!LacksOwn && (IsStampDue || (merge.IsInView && merge.Version != _version)));

    private ulong Next => Math.Max(_sent, merge.Own.Kept.Released) + 1;

    /// <summary>Entries that are to be told and are not here: their site, the first and the last of them.</summary>
    /// <returns>False when there are none.</returns>
    public bool TryFindMissing(out int site, out ulong first, out ulong last)
    {
        Look();
        (site, first, last) = (merge.Site, Next, merge.Own.Numbered);
        if (IsMissing(site, ref first, ref last)) return true;
        for (site = 0; site < merge.Count; site++)
        {
            if (!merge.TryFindForwards(site, out first, out last)) continue;
            first = Math.Max(first, _forwarded[site] + 1);
            if (IsMissing(site, ref first, ref last)) return true;
        }
        return false;
    }

    /// <summary>Takes the next entry to tell; null when there is none, or it is not here.</summary>
    public OrderedEntry? TakeEntry()
    {
        Look();
        ulong next = Next;
        if (next > merge.Own.Numbered || merge.Own.Kept.Find(next) is not { } entry) return null;
        _sent = next;
        if (entry.Stamp > _clock) _clock = entry.Stamp;
        return entry;
    }

    /// <summary>Takes the next entry that others lack before the view ends; null when there is none, or it is not
    /// here.</summary>
    public OrderedEntry? TakeForward()
    {
        Look();
        for (int site = 0; site < merge.Count; site++)
        {
            if (!merge.TryFindForwards(site, out ulong first, out ulong last)) continue;
            ulong next = Math.Max(first, _forwarded[site] + 1);
            if (next > last || merge.Find(site, next) is not { } entry) continue;
            _forwarded[site] = next;
            return entry;
        }
        return null;
    }

    /// <summary>Takes what is told when no entry is left; null when the site is in no view, or lacks one.</summary>
    public OrderRecord? TakeStamp()
    {
        if (LacksOwn || !merge.IsInView) return null;
        (_clock, _version) = (merge.Clock, merge.Version);
        return merge.Tell();
    }

    /// <summary>Takes the state of the site.</summary>
    public OrderRecord TakeState()
    {
        _state = merge.Agreement.Version;
        return merge.TellState();
    }

    /// <summary>Tells again what some site may lack.</summary>
    public void Again()
    {
        (_sent, _clock, _version, _state) = (0, 0, 0, 0);
        Array.Clear(_forwarded);
    }

    private bool IsMissing(int site, ref ulong first, ref ulong last)
    {
        while (first <= last && merge.Find(site, first) is not null) first++;
        if (first > last) return false;
        ulong end = first;
        while (end < last && merge.Find(site, end + 1) is null) end++;
        last = end;
        return true;
    }

    private void Look()
    {
        if (merge.Agreement.View?.Id is { } view && view != _view)
        {
            _view = view;
            (_sent, _clock, _version) = (0, 0, 0);
            Array.Clear(_forwarded);
        }
        if (merge.Agreement.Joined?.Id is not { } joined || joined == _joined) return;
        _joined = joined;
        Array.Clear(_forwarded);
    }
}
