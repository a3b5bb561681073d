namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// Packs entries into frames of one kind, as many as it takes: kind, count, entries. A frame is closed when it exceeds <see cref="FullBytes"/>, far
/// below the longest frame allowed, so that no single entry can push it over. Used for one list at a time.
/// </summary>
/// <param name="kind">Kind of the frames.</param>
internal sealed class EntryFrames(FrameKind kind)
{
    /// <summary>
    /// A frame takes no further entry beyond this length. The longest entry, a region of scattered groups, has about ten bytes a group.
    /// </summary>
    public const int FullBytes = 1 << 20;

    /// <summary>A frame takes no more entries than this.</summary>
    public const int MaxEntries = 1 << 16;

    private readonly FrameBuilder _frame = new();
    private int _count;
    private long _unfolded;

    /// <summary>Where the next entry is to be written, before <see cref="EndEntry"/>.</summary>
    public FrameBuilder Entry { get; } = new();

    /// <summary>Counts the entry just written.</summary>
    /// <param name="output">Where frames go that are full.</param>
    /// <param name="unfolded">Counters that the entry's runs unfold to, or more.</param>
    public void EndEntry(List<byte[]> output, int unfolded = 0)
    {
        _count++;
        _unfolded += unfolded;
        if (Entry.Length > FullBytes || _count == MaxEntries || _unfolded > CounterRuns.MaxCounters) Flush(output);
    }

    /// <summary>Closes the last frame, if it has any entry.</summary>
    public void Flush(List<byte[]> output)
    {
        if (_count > 0) output.Add(_frame.Begin(kind).WriteVarint((ulong)_count).WriteBytes(Entry.Span).ToArray());
        Entry.Begin();
        _count = 0;
        _unfolded = 0;
    }
}
