namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>Entries of one life of one site, by number, until all sites have them. A replica that came later lacks the
/// first ones, and may be given them.</summary>
internal sealed class KeptEntries
{
    private readonly Dictionary<ulong, OrderedEntry> _entries = [];

    /// <summary>All sites have the entries up to it.</summary>
    public ulong Released { get; private set; }

    /// <summary>Bytes of what is kept.</summary>
    public long Bytes { get; private set; }

    /// <summary>How many are kept.</summary>
    public int Count => _entries.Count;

    /// <summary>The entry with a number; null when it is not kept.</summary>
    public OrderedEntry? Find(ulong number) => _entries.GetValueOrDefault(number);

    /// <summary>Keeps an entry that some site may lack.</summary>
    public void Add(OrderedEntry entry)
    {
        if (entry.Number > Released && _entries.TryAdd(entry.Number, entry)) Bytes += entry.Cost;
    }

    /// <summary>All sites have the entries up to a number.</summary>
    public void Release(ulong number)
    {
        if (number <= Released) return;
        // What was never here is passed in one step.
        if (_entries.Count == 0) Released = number;
        while (Released < number)
        {
            if (_entries.Remove(++Released, out OrderedEntry? entry)) Bytes -= entry.Cost;
        }
    }

    /// <summary>Another life begins.</summary>
    public void Clear()
    {
        _entries.Clear();
        (Released, Bytes) = (0, 0);
    }
}
