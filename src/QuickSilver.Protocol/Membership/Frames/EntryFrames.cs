namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// Packs entries into as many frames of one kind as needed: kind, count, entries. A frame is closed when it exceeds
/// <see cref="FullBytes"/>, far below the longest frame allowed, so that no single entry can push it over. Used for one
/// list at a time.
/// </summary>
/// <param name="kind">The kind of the frames.</param>
internal sealed class EntryFrames(FrameKind kind)
{
    /// <summary>
    /// Length beyond which a frame takes no further entry. The longest entry, a region of scattered groups, has about
    /// ten bytes a group.
    /// </summary>
    public const int FullBytes = 1 << 20;

    /// <summary>Limit on the entries of a frame.</summary>
    public const int MaxEntries = 1 << 16;

    private readonly FrameBuilder _frame = new();
    private int _count;
    private long _unfolded;

    /// <summary>Receives the next entry, before <see cref="EndEntry"/>.</summary>
    public FrameBuilder Entry { get; } = new();

    /// <summary>Counts the entry just written.</summary>
    /// <param name="output">Receives frames that are full.</param>
    /// <param name="unfolded">Upper bound of the counters that the entry's runs expand to.</param>
    public void EndEntry(List<byte[]> output, int unfolded = 0)
    {
        _count++;
        _unfolded += unfolded;
        bool isFull = Entry.Length > FullBytes || _count == MaxEntries || _unfolded > CounterRuns.MaxCounters;
        if (isFull) Flush(output);
    }

    /// <summary>Closes the last frame, if it has any entry.</summary>
    public void Flush(List<byte[]> output)
    {
        if (_count > 0)
        {
            _frame.Begin(kind).WriteVarint((ulong)_count).WriteBytes(Entry.Span);
            output.Add(_frame.ToArray());
            _frame.Begin();
        }
        Entry.Begin();
        _count = 0;
        _unfolded = 0;
    }
}
