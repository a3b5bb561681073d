using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Messages of one (sender, group) that wait for earlier ones, as batches sorted by number that do not overlap.
/// </summary>
/// <remarks>
/// Idea: pages of a few neighbours (<see cref="HeldPage"/>), in order, in one array. Memory follows the held messages,
/// whatever numbers a peer invents; in a ring indexed by number it would not. A repaired message that belongs between
/// thousands moves only its page's neighbours. A plain sorted array would move half of all waiting messages: at 5 %
/// loss that was half of a receiver's time. Messages mostly come with rising numbers and leave from below, both O(1). A
/// message in between costs a binary search over pages, and sometimes the insertion of a page. A batch that continues
/// the one added last, as that of the next small packet of a train may, only lengthens it, at any position. Empty pages
/// are kept, so nothing is allocated in steady state.
/// </remarks>
internal sealed class ReorderBuffer
{
    private readonly Stack<HeldPage> _spare = new();
    private Entry[] _pages = new Entry[4];
    private int _first;
    private int _end;

    // The batch added last, unless one has been removed since, and the number at which the following batch begins.
    private HeldPage? _open;
    private int _openIndex;
    private ulong _openLimit;

    /// <summary>Number of batches.</summary>
    public int Count { get; private set; }

    /// <summary>Number of batches that there is memory for.</summary>
    public int Capacity => (_end - _first + _spare.Count) * HeldPage.Capacity;

    /// <summary>The lowest batch; the buffer must not be empty.</summary>
    public ref readonly HeldBatch First => ref _pages[_first].Page.First;

    /// <summary>Finds the batch that has a number.</summary>
    public bool TryFind(ulong number, out HeldBatch batch)
    {
        batch = default;
        if (Count == 0 || IsAbove(number)) return false;
        HeldPage page = _pages[PageOf(number)].Page;
        int index = page.IndexOf(number);
        if (index < 0) return false;
        batch = page[index];
        return true;
    }

    /// <summary>True when one of the numbers from the first up to the end is held.</summary>
    public bool HoldsAny(ulong first, ulong end)
    {
        if (Count == 0 || IsAbove(first)) return false;
        int index = PageOf(first);
        HeldPage page = _pages[index].Page;
        int entry = page.IndexOf(first);
        if (entry >= 0) return true;
        if (~entry < page.Count) return page[~entry].Number < end;
        return index + 1 < _end && _pages[index + 1].Page.First.Number < end;
    }

    /// <summary>Lengthens the batch added last by messages that continue it, none of which is held yet. O(1).</summary>
    public bool TryAppend(in DeliveryBatch messages) =>
        _open is not null && messages.End <= _openLimit && _open[_openIndex].TryAppend(messages);

    /// <summary>Adds messages of which none is held yet.</summary>
    public void Add(in HeldBatch batch)
    {
        Count++;
        _openIndex = 0;
        _openLimit = ulong.MaxValue;
        bool isHighest = _first == _end || IsAbove(batch.Number);
        if (isHighest && (_first == _end || _pages[_end - 1].Page.IsFull))
        {
            _open = InsertPage(_end, batch.Number);
            _open.Insert(0, batch);
            return;
        }
        int pageIndex = isHighest ? _end - 1 : PageOf(batch.Number);
        HeldPage page = _pages[pageIndex].Page;
        if (page.IsFull)
        {
            int fromEnd = _end - pageIndex;
            HeldPage upper = InsertPage(pageIndex + 1, 0);
            pageIndex = _end - 1 - fromEnd;
            page.SplitTo(upper);
            _pages[pageIndex + 1].Low = upper.First.Number;
            if (upper.First.Number < batch.Number) page = _pages[++pageIndex].Page;
        }
        if (batch.Number < _pages[pageIndex].Low) _pages[pageIndex].Low = batch.Number;
        int index = ~page.IndexOf(batch.Number);
        System.Diagnostics.Debug.Assert(index >= 0, "held already");
        page.Insert(index, batch);
        _open = page;
        _openIndex = index;
        if (index + 1 < page.Count) _openLimit = page[index + 1].Number;
        else if (pageIndex + 1 < _end) _openLimit = _pages[pageIndex + 1].Page.First.Number;
    }

    /// <summary>Removes and returns the lowest batch; its references pass to the caller.</summary>
    public HeldBatch TakeFirst()
    {
        System.Diagnostics.Debug.Assert(Count > 0, "nothing is held");
        HeldPage page = _pages[_first].Page;
        HeldBatch batch = page.TakeFirst();
        Count--;
        _open = null;
        if (page.Count > 0) return batch;
        _spare.Push(page);
        _pages[_first++] = default;
        if (_first == _end) _first = _end = 0;
        return batch;
    }

    /// <summary>Removes some of the lowest batch's lowest messages, not all.</summary>
    public void MoveOn(int messages) => _pages[_first].Page.First.MoveOn(messages);

    private bool IsAbove(ulong number) => _pages[_end - 1].Page.Last.End <= number;

    // The last page that begins at or below a number, or the first page.
    private int PageOf(ulong number)
    {
        int low = _first, high = _end;
        while (high - low > 1)
        {
            int middle = (low + high) >>> 1;
            if (_pages[middle].Low <= number) low = middle;
            else high = middle;
        }
        return low;
    }

    private HeldPage InsertPage(int pageIndex, ulong low)
    {
        if (_end == _pages.Length)
        {
            int count = _end - _first;
            Entry[] pages = count * 2 > _pages.Length ? new Entry[_pages.Length * 2] : _pages;
            Array.Copy(_pages, _first, pages, 0, count);
            if (ReferenceEquals(pages, _pages)) Array.Clear(pages, count, _end - count);
            _pages = pages;
            pageIndex -= _first;
            _first = 0;
            _end = count;
        }
        if (!_spare.TryPop(out HeldPage? page)) page = new HeldPage();
        if (pageIndex < _end) Array.Copy(_pages, pageIndex, _pages, pageIndex + 1, _end - pageIndex);
        _pages[pageIndex] = new Entry { Low = low, Page = page };
        _end++;
        return page;
    }

    private struct Entry
    {
        // No message of the page is below it, and none of the page before is at or above it.
        public ulong Low;
        public HeldPage Page;
    }
}
