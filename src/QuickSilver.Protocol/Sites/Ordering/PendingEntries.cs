namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>Entries that wait for their turn in the order.</summary>
internal sealed class PendingEntries
{
    private readonly PriorityQueue<OrderedEntry, OrderPlace> _entries = new();

    /// <summary>Nothing up to this place is delivered here: this replica came later.</summary>
    public OrderPlace Floor { get; private set; } = new(0, SiteSet.MostSites);

    /// <summary>The highest place that has come.</summary>
    public OrderPlace Highest { get; private set; }

    /// <summary>How many wait.</summary>
    public int Count => _entries.Count;

    /// <summary>The first in the order; null when none waits.</summary>
    public OrderedEntry? First => _entries.TryPeek(out OrderedEntry? first, out _) ? first : null;

    /// <summary>An entry has come.</summary>
    public void Add(OrderedEntry entry)
    {
        Note(entry.Place);
        if (entry.Place > Floor) _entries.Enqueue(entry, entry.Place);
    }

    /// <summary>Takes the first.</summary>
    public OrderedEntry Take() => _entries.Dequeue();

    /// <summary>Takes all, in the order.</summary>
    public IReadOnlyList<OrderedEntry> TakeAll()
    {
        var all = new List<OrderedEntry>(_entries.Count);
        while (_entries.TryDequeue(out OrderedEntry? entry, out _)) all.Add(entry);
        return all;
    }

    /// <summary>A place has come and gone.</summary>
    public void Note(OrderPlace place)
    {
        if (place > Highest) Highest = place;
    }

    /// <summary>Nothing up to a place is delivered.</summary>
    public void RaiseFloor(OrderPlace floor)
    {
        if (floor > Floor) Floor = floor;
        while (First is { } first && first.Place <= Floor) _entries.Dequeue();
    }
}
