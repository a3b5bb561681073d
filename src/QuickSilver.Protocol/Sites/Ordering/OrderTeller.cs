namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>
/// What a gateway tells other sites of the order, by its own replica of it: each entry of the site once, in the order
/// of their numbers, and a stamp behind them. A gateway that begins tells again what some site may lack.
/// </summary>
/// <param name="merge">The replica.</param>
internal sealed class OrderTeller(SiteMerge merge)
{
    private ulong _sent = merge.Own.Kept.Released;
    private ulong _clock;
    private ulong _version;
    private bool _hasTold;

    /// <summary>The last entry that was told.</summary>
    public ulong Sent => _sent;

    /// <summary>True while an entry is to be told and is not here: it is asked for (<see cref="Missing"/>).</summary>
    public bool Lacks => Next <= merge.Own.Numbered && merge.Own.Kept.Find(Next) is null;

    /// <summary>The entries that are to be told and are not here: the first and the last of them.</summary>
    public (ulong First, ulong Last) Missing
    {
        get
        {
            ulong last = Next;
            while (last < merge.Own.Numbered && merge.Own.Kept.Find(last + 1) is null) last++;
            return (Next, last);
        }
    }

    /// <summary>True while other sites may wait for a stamp.</summary>
    public bool IsStampDue => !_hasTold || merge.Clock > _clock;

    /// <summary>True while other sites do not know what this one has.</summary>
    public bool HasNews => IsStampDue || merge.Version != _version;

    private ulong Next => Math.Max(_sent, merge.Own.Kept.Released) + 1;

    /// <summary>Takes the next entry to tell; null when there is none, or it is not here.</summary>
    public OrderedEntry? TakeEntry()
    {
        ulong next = Next;
        if (next > merge.Own.Numbered || merge.Own.Kept.Find(next) is not { } entry) return null;
        _sent = next;
        _clock = Math.Max(_clock, entry.Stamp);
        return entry;
    }

    /// <summary>Takes what is told when no entry is left.</summary>
    public OrderRecord TakeStamp()
    {
        _hasTold = true;
        _clock = merge.Clock;
        _version = merge.Version;
        return merge.Tell();
    }

    /// <summary>Tells again what some site may lack.</summary>
    public void Again()
    {
        _sent = merge.Own.Kept.Released;
        _hasTold = false;
    }
}
