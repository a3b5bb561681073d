using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Messages of one (sender, group) that wait for what precedes them, as runs sorted by number that do not overlap.
/// </summary>
/// <remarks>
/// Idea: pages of a few neighbours (<see cref="HeldPage"/>), in order, in one array. Memory follows what is held, whatever numbers a peer makes up,
/// which a ring indexed by number would not; and a repaired message that belongs between thousands moves its page's neighbours, and not, as in a
/// plain sorted array, half of all that waits: at 5 % loss that was half of a receiver's time. Messages mostly come with rising numbers and leave
/// from below, both O(1); one in between costs a binary search over pages, and every few times a page more among them. A run that goes on where the
/// one added last ends, as that of the next small packet of a train may, only lengthens it, wherever it is. Pages are kept when they empty, so
/// nothing is allocated in steady state.
/// </remarks>
internal sealed class ReorderBuffer
{
    private readonly Stack<HeldPage> _spare = new();
    private Entry[] _pages = new Entry[4];
    private int _first;
    private int _end;

    // The run added last, unless one has been taken out since, and the number at which the run after it begins.
    private HeldPage? _open;
    private int _openIndex;
    private ulong _openLimit;

    /// <summary>Runs.</summary>
    public int Count { get; private set; }

    /// <summary>Runs that there is memory for.</summary>
    public int Capacity => (_end - _first + _spare.Count) * HeldPage.Capacity;

    /// <summary>The lowest run; the queue must not be empty.</summary>
    public ref readonly HeldBatch First => ref _pages[_first].Page.First;

    /// <summary>Finds the run that has a number.</summary>
    public bool TryFind(ulong number, out HeldBatch run)
    {
        run = default;
        if (Count == 0 || IsAbove(number)) return false;
        HeldPage page = _pages[PageOf(number)].Page;
        int index = page.IndexOf(number);
        if (index < 0) return false;
        run = page[index];
        return true;
    }

    /// <summary>True when one of the numbers from the first up to the end is held.</summary>
    public bool HoldsAny(ulong first, ulong end)
    {
        if (Count == 0 || IsAbove(first)) return false;
        int at = PageOf(first);
        HeldPage page = _pages[at].Page;
        int index = page.IndexOf(first);
        if (index >= 0) return true;
        if (~index < page.Count) return page[~index].Number < end;
        return at + 1 < _end && _pages[at + 1].Page.First.Number < end;
    }

    /// <summary>Lengthens the run added last by messages that go on where it ends and of which none is held yet. O(1).</summary>
    public bool TryAppend(in DeliveryBatch messages) => _open is not null && messages.End <= _openLimit && _open[_openIndex].TryAppend(messages);

    /// <summary>Adds messages of which none is held yet.</summary>
    public void Add(in HeldBatch run)
    {
        Count++;
        _openIndex = 0;
        _openLimit = ulong.MaxValue;
        bool isHighest = _first == _end || IsAbove(run.Number);
        if (isHighest && (_first == _end || _pages[_end - 1].Page.IsFull))
        {
            _open = InsertPage(_end, run.Number);
            _open.Insert(0, run);
            return;
        }
        int at = isHighest ? _end - 1 : PageOf(run.Number);
        HeldPage page = _pages[at].Page;
        if (page.IsFull)
        {
            int fromEnd = _end - at;
            HeldPage upper = InsertPage(at + 1, 0);
            at = _end - 1 - fromEnd;
            page.SplitTo(upper);
            _pages[at + 1].Low = upper.First.Number;
            if (upper.First.Number < run.Number) page = _pages[++at].Page;
        }
        if (run.Number < _pages[at].Low) _pages[at].Low = run.Number;
        int index = ~page.IndexOf(run.Number);
        System.Diagnostics.Debug.Assert(index >= 0, "held already");
        page.Insert(index, run);
        _open = page;
        _openIndex = index;
        if (index + 1 < page.Count) _openLimit = page[index + 1].Number;
        else if (at + 1 < _end) _openLimit = _pages[at + 1].Page.First.Number;
    }

    /// <summary>Takes the lowest run out; its references pass to the caller.</summary>
    public HeldBatch TakeFirst()
    {
        System.Diagnostics.Debug.Assert(Count > 0, "nothing is held");
        HeldPage page = _pages[_first].Page;
        HeldBatch run = page.TakeFirst();
        Count--;
        _open = null;
        if (page.Count > 0) return run;
        _spare.Push(page);
        _pages[_first++] = default;
        if (_first == _end) _first = _end = 0;
        return run;
    }

    /// <summary>Leaves some of the lowest run's lowest messages behind, not all.</summary>
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

    private HeldPage InsertPage(int at, ulong low)
    {
        if (_end == _pages.Length)
        {
            int count = _end - _first;
            Entry[] pages = count * 2 > _pages.Length ? new Entry[_pages.Length * 2] : _pages;
            Array.Copy(_pages, _first, pages, 0, count);
            if (ReferenceEquals(pages, _pages)) Array.Clear(pages, count, _end - count);
            _pages = pages;
            at -= _first;
            _first = 0;
            _end = count;
        }
        if (!_spare.TryPop(out HeldPage? page)) page = new HeldPage();
        if (at < _end) Array.Copy(_pages, at, _pages, at + 1, _end - at);
        _pages[at] = new Entry { Low = low, Page = page };
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
