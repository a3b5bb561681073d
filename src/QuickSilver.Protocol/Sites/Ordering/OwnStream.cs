using System.Diagnostics;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>The entries of a site itself: what waits for a stamp, and what other sites may lack.</summary>
internal sealed class OwnStream
{
    private readonly Queue<OrderedContent?> _waiting = new();
    private readonly Queue<ulong> _stamps = new();

    /// <summary>Entries of the present view that have a number.</summary>
    public ulong Numbered { get; private set; }

    /// <summary>Entries whose turn has come.</summary>
    public ulong Passed { get; private set; }

    /// <summary>True once entries get stamps in the present view.</summary>
    public bool HasBegun { get; set; }

    /// <summary>Entries that some other site may lack, as far as they are here.</summary>
    public KeptEntries Kept { get; } = new();

    /// <summary>Messages that wait for a stamp.</summary>
    public int Waiting => _waiting.Count;

    /// <summary>Those of them that are not here: they were sent before this replica was there.</summary>
    public int Unseen { get; private set; }

    /// <summary>Messages that some other site lacks, as far as is known.</summary>
    public ulong Unacknowledged => Numbered - Kept.Released + (ulong)Waiting;

    /// <summary>Stamps of the entries whose turn has not come.</summary>
    public IReadOnlyCollection<ulong> Stamps => _stamps;

    /// <summary>The stamp of the first of them.</summary>
    public bool TryPeekStamp(out ulong stamp) => _stamps.TryPeek(out stamp);

    /// <summary>A message waits for its stamp; null for one that was sent before this replica was there.</summary>
    public void Wait(OrderedContent? content)
    {
        _waiting.Enqueue(content);
        if (content is null) Unseen++;
    }

    /// <summary>Takes the message that has waited longest.</summary>
    public bool TryTakeWaiting(out OrderedContent? content)
    {
        if (!_waiting.TryDequeue(out content)) return false;
        if (content is null) Unseen--;
        return true;
    }

    /// <summary>Numbers an entry, and keeps it if it is here.</summary>
    public void Add(OrderedEntry entry)
    {
        Debug.Assert(entry.Number == Numbered + 1, "entries are numbered one by one");
        Numbered++;
        _stamps.Enqueue(entry.Stamp);
        if (entry.Content is not null) Kept.Add(entry);
    }

    /// <summary>The turn of the first entry has come.</summary>
    public void Pass()
    {
        _stamps.Dequeue();
        Passed++;
    }

    /// <summary>Another view begins: entries behind a number wait again, before all others.</summary>
    public void BeginAnew(ulong last)
    {
        OrderedContent?[] waiting = [.. _waiting];
        _waiting.Clear();
        Unseen = 0;
        for (ulong number = last + 1; number <= Numbered; number++) Wait(Kept.Find(number)?.Content);
        foreach (OrderedContent? content in waiting) Wait(content);
        _stamps.Clear();
        Kept.Clear();
        (Numbered, Passed, HasBegun) = (0, 0, false);
    }

    /// <summary>Takes over what another replica has.</summary>
    public void Restore(ulong numbered, ulong released, IReadOnlyList<ulong> stamps, int waiting)
    {
        (Numbered, Passed) = (numbered, numbered - (ulong)stamps.Count);
        Kept.Release(released);
        foreach (ulong stamp in stamps) _stamps.Enqueue(stamp);
        for (; waiting > 0; waiting--) Wait(null);
    }
}
