namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Messages of one (sender, group) that wait for what precedes them, sorted by number, at most one for each.
/// </summary>
/// <remarks>
/// Idea: pages of a few neighbours (<see cref="HeldPage"/>), in order, in one array. Memory follows what is held, whatever numbers a peer makes up,
/// which a ring indexed by number would not; and a repaired message that belongs between thousands moves its page's neighbours, and not, as in a
/// plain sorted array, half of all that waits: at 5 % loss that was half of a receiver's time. Messages mostly come with rising numbers and leave from
/// below, both O(1); one in between costs a binary search over pages, and every few times a page more among them. Pages are kept when they empty, so
/// nothing is allocated in steady state.
/// </remarks>
internal sealed class HeldQueue
{
    private readonly Stack<HeldPage> _spare = new();
    private Entry[] _pages = new Entry[4];
    private int _first;
    private int _end;

    public int Count { get; private set; }

    /// <summary>Entries that there is memory for.</summary>
    public int Capacity => (_end - _first + _spare.Count) * HeldPage.Capacity;

    /// <summary>The lowest entry; the queue must not be empty.</summary>
    public ref readonly HeldMessage First => ref _pages[_first].Page.First;

    /// <summary>Finds what is held of a number.</summary>
    public bool TryFind(ulong number, out HeldMessage message)
    {
        message = default;
        if (Count == 0 || _pages[_end - 1].Page.Last.Number < number) return false;
        HeldPage page = _pages[PageOf(number)].Page;
        int index = page.IndexOf(number);
        if (index < 0) return false;
        message = page[index];
        return true;
    }

    /// <summary>Adds what is not held yet.</summary>
    public void Add(in HeldMessage message)
    {
        Count++;
        bool isHighest = _first == _end || _pages[_end - 1].Page.Last.Number < message.Number;
        if (isHighest && (_first == _end || _pages[_end - 1].Page.IsFull))
        {
            InsertPage(_end, message.Number).Insert(0, message);
            return;
        }
        int at = isHighest ? _end - 1 : PageOf(message.Number);
        HeldPage page = _pages[at].Page;
        if (page.IsFull)
        {
            int fromEnd = _end - at;
            HeldPage upper = InsertPage(at + 1, 0);
            at = _end - 1 - fromEnd;
            page.SplitTo(upper);
            _pages[at + 1].Low = upper.First.Number;
            if (upper.First.Number < message.Number) page = upper;
        }
        if (message.Number < _pages[at].Low) _pages[at].Low = message.Number;
        int index = page.IndexOf(message.Number);
        System.Diagnostics.Debug.Assert(index < 0, "held already");
        page.Insert(~index, message);
    }

    /// <summary>Takes the lowest entry out; its references pass to the caller.</summary>
    public HeldMessage TakeFirst()
    {
        System.Diagnostics.Debug.Assert(Count > 0, "nothing is held");
        HeldPage page = _pages[_first].Page;
        HeldMessage message = page.TakeFirst();
        Count--;
        if (page.Count > 0) return message;
        _spare.Push(page);
        _pages[_first++] = default;
        if (_first == _end) _first = _end = 0;
        return message;
    }

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
        // No entry of the page is below it, and no entry of the page before is at or above it.
        public ulong Low;
        public HeldPage Page;
    }
}
