namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// The message sources of one group, and which of them have said that they have something. A signal during a call that ends with "nothing" counts, so
/// that what came in between is not forgotten.
/// </summary>
internal sealed class MessageSources
{
    private readonly List<Entry> _entries = [];

    public int Count => _entries.Count;

    /// <summary>True when some source wants to be asked.</summary>
    public bool AnyReady
    {
        get
        {
            foreach (Entry entry in _entries)
            {
                if (entry.IsReady) return true;
            }
            return false;
        }
    }

    public void Add(IMessageSource source) => _entries.Add(new Entry(source));

    public void Remove(IMessageSource source)
    {
        int index = IndexOf(source);
        if (index >= 0) _entries.RemoveAt(index);
    }

    /// <summary>A source has something to send.</summary>
    /// <returns>False when it is not registered.</returns>
    public bool Signal(IMessageSource source)
    {
        int index = IndexOf(source);
        if (index < 0) return false;
        _entries[index].IsReady = true;
        return true;
    }

    /// <summary>Asks one source, if it wants to be asked.</summary>
    /// <returns>True when it has written a message.</returns>
    public bool TryAsk(int index, MessageWriter writer)
    {
        // A source may have been removed by one that was asked in the same round.
        if (index >= _entries.Count) return false;
        Entry entry = _entries[index];
        if (!entry.IsReady) return false;
        entry.IsReady = false;
        if (entry.Source.Write(writer)) entry.IsReady = true;
        else writer.Discard();
        return writer.HasMessage || writer.Followers > 0;
    }

    private int IndexOf(IMessageSource source)
    {
        for (int index = 0; index < _entries.Count; index++)
        {
            if (ReferenceEquals(_entries[index].Source, source)) return index;
        }
        return -1;
    }

    private sealed class Entry(IMessageSource source)
    {
        public IMessageSource Source { get; } = source;

        public bool IsReady { get; set; }
    }
}
