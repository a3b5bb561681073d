namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// One sender's started cursors in the groups of one region view, by the group's index, which records carry. So a
/// message finds its cursor without its session. A table of references only: pages are made as groups are heard, so a
/// sender costs by what it sends to. Core thread only.
/// </summary>
/// <param name="key">The key of the sender's number.</param>
/// <param name="groups">The number of groups of the region.</param>
internal sealed class SenderCursors(ulong key, int groups)
{
    private const int PageBits = 5;
    private const int PageSize = 1 << PageBits;
    private readonly SenderCursor?[]?[] _pages = new SenderCursor?[]?[(groups + PageSize - 1) >> PageBits];

    /// <summary>The key of the sender's number.</summary>
    public ulong Key { get; } = key;

    /// <summary>The cursor of a group; null when it is not known here, or has not started.</summary>
    public SenderCursor? Find(int index) => _pages[index >> PageBits]?[index & (PageSize - 1)];

    /// <summary>Notes a cursor that has started.</summary>
    public void Note(int index, SenderCursor cursor) =>
        (_pages[index >> PageBits] ??= new SenderCursor?[PageSize])[index & (PageSize - 1)] = cursor;

    /// <summary>Forgets a cursor: its session has ended.</summary>
    public void Forget(int index)
    {
        if (_pages[index >> PageBits] is { } page) page[index & (PageSize - 1)] = null;
    }
}
