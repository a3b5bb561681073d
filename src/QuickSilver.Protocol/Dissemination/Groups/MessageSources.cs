using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The message sources of one group, and which of them are ready. They take turns, so an endless source does not hold
/// up another. A signal during a call that returns "nothing" counts, so that messages that came in between are not
/// lost. Core thread only.
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

    /// <summary>Marks a source as ready.</summary>
    /// <returns>False when it is not registered.</returns>
    public bool Signal(IMessageSource source)
    {
        int index = IndexOf(source);
        if (index < 0) return false;
        _entries[index].IsReady = true;
        return true;
    }

    /// <summary>Lets the next source write a message.</summary>
    /// <param name="lane">The group's lane: while it has no room, sources are not asked.</param>
    /// <param name="writer">The writer for the source.</param>
    /// <returns>False when there is no message.</returns>
    public bool TryPull(GroupLane lane, MessageWriter writer)
    {
        int count = _entries.Count;
        for (int tried = 0; tried < count && lane.MayAsk; tried++)
        {
            if (_turn >= count) _turn = 0;
            if (TryAsk(_turn++, writer)) return true;
        }
        return false;
    }

    // Asks one source, if it is ready; true when it has written a message.
    private bool TryAsk(int index, MessageWriter writer)
    {
        // A source asked in the same round may have removed this one.
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
