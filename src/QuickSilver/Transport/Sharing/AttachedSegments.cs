using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// The others' segments that a node has opened, by key. There are at most so many; those whose owner has gone make room, once nothing of them is
/// held.
/// <para>
/// With each that is opened some are looked at: whether the owner said that it goes costs a look at memory, whether its process lives a few system
/// calls, so of the latter there are few each time, in turn; all, when there is no room.
/// </para>
/// </summary>
internal sealed class AttachedSegments(ISegmentHost host, TransportCounters counters)
{
    private const int Most = 256;
    private const int LooksAtProcesses = 4;

    private readonly Dictionary<ulong, BorrowedSegment> _open = [];
    private readonly List<BorrowedSegment> _all = [];
    private readonly RefusedNames _refused = new();
    private readonly CopyChunks _copies = new();
    private int _next;

    /// <summary>Segments open now.</summary>
    public int Count => _all.Count;

    /// <summary>Blocks held, of all.</summary>
    public int Held => _all.Sum(static segment => segment.Held);

    /// <summary>Names that are remembered because they led nowhere.</summary>
    public int RefusedCount => _refused.Count;

    /// <summary>Opens a segment, or finds it open.</summary>
    public bool TryAttach(in SegmentName name, ulong self)
    {
        if (_open.TryGetValue(name.Key, out BorrowedSegment? known))
        {
            known.Rename(self);
            return true;
        }
        long now = host.Milliseconds;
        if (_refused.IsGivenUp(name, now)) return false;
        Sweep(_all.Count < Most ? LooksAtProcesses : Most);
        if (_all.Count >= Most) return NoRoom(name, now);
        SegmentMemory? memory = host.TryOpen(name);
        if (memory is null || memory.Control.IsClosed)
        {
            memory?.Discard();
            _refused.Add(name, now);
            counters.AttachesRefused++;
            return false;
        }
        int place = memory.Control.TryClaim(host.Self, self);
        if (place < 0)
        {
            SegmentControl control = memory.Control;
            control.IsWished = true;
            memory.Discard();
            return NoRoom(name, now);
        }
        Add(new BorrowedSegment(memory, place, self, _copies, counters));
        return true;
    }

    /// <summary>A segment that is open, by its key.</summary>
    public BorrowedSegment? Find(ulong key) => _open.GetValueOrDefault(key);

    /// <summary>Leaves all.</summary>
    public void Clear()
    {
        foreach (BorrowedSegment segment in _all) segment.Leave();
        _all.Clear();
        _open.Clear();
    }

    private bool NoRoom(in SegmentName name, long now)
    {
        _refused.Pause(name, now);
        counters.AttachesRefused++;
        return false;
    }

    private void Add(BorrowedSegment segment)
    {
        _open.Add(segment.Name.Key, segment);
        _all.Add(segment);
        counters.SegmentsAttached++;
    }

    private void Sweep(int looks)
    {
        int first = _all.Count == 0 ? 0 : _next % _all.Count;
        _next = first + looks;
        for (int index = _all.Count - 1; index >= 0; index--)
        {
            BorrowedSegment segment = _all[index];
            bool isLookedAt = index >= first && index < first + looks;
            if (segment.Held > 0 || (!segment.IsClosed && (!isLookedAt || host.IsAlive(segment.Owner)))) continue;
            segment.Leave();
            _open.Remove(segment.Name.Key);
            _all.RemoveAt(index);
        }
    }
}
