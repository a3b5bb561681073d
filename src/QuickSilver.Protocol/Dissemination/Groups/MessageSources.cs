namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The message sources of one group, and which of them have said that they have something. They take turns, so a source
/// that never ends does not hold up another. A signal during a call that ends with "nothing" counts, so that what came
/// in between is not forgotten. Core thread only.
/// </summary>
internal sealed class MessageSources
{
    private readonly List<Entry> _entries = [];
    private int _turn;

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

    public void Clear() => _entries.Clear();

    /// <summary>A source has something to send.</summary>
    /// <returns>False when it is not registered.</returns>
    public bool Signal(IMessageSource source)
    {
        int index = IndexOf(source);
        if (index < 0) return false;
        _entries[index].IsReady = true;
        return true;
    }

    /// <summary>Lets the next source write a message.</summary>
    /// <param name="gate">The group's: while it has no room sources are not asked.</param>
    /// <param name="writer">Where a source writes.</param>
    /// <returns>False when there is none.</returns>
    public bool TryPull(in GroupGate gate, MessageWriter writer)
    {
        int count = _entries.Count;
        for (int tried = 0; tried < count && gate.HasRoom; tried++)
        {
            if (_turn >= count) _turn = 0;
            if (TryAsk(_turn++, writer)) return true;
        }
        return false;
    }

    // Asks one source, if it wants to be asked; true when it has written a message.
    private bool TryAsk(int index, MessageWriter writer)
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
