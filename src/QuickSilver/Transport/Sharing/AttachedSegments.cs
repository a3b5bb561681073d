using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// The segments of other nodes that a node has opened, by key. Their number is limited. A segment makes room when its
/// owner is gone and none of its blocks is held. Core thread only.
/// <para>
/// Each opening checks the others. The check for a closed segment reads memory. The check for a living process costs a
/// few system calls. Only a few segments are therefore checked each time, in turn; all of them, when there is no room.
/// </para>
/// </summary>
internal sealed class AttachedSegments(ISegmentHost host, TransportCounters counters)
{
    private const int MaxSegments = 256;
    private const int ProcessChecks = 4;

    private readonly Dictionary<ulong, BorrowedSegment> _open = [];
    private readonly List<BorrowedSegment> _all = [];
    private readonly RefusedNames _refused = new();
    private readonly CopyChunks _copies = new();
    private int _next;

    /// <summary>The number of open segments.</summary>
    public int Count => _all.Count;

    /// <summary>The number of blocks held, in all segments.</summary>
    public int Held => _all.Sum(static segment => segment.Held);

    /// <summary>The number of remembered names without a segment.</summary>
    public int RefusedCount => _refused.Count;

    /// <summary>Opens a segment, unless it is open already.</summary>
    /// <returns>False when it cannot be opened now.</returns>
    public bool TryAttach(in SegmentName name, ulong self)
    {
        if (_open.TryGetValue(name.Key, out BorrowedSegment? known))
        {
            known.Rename(self);
            return true;
        }
        long now = host.Milliseconds;
        if (_refused.IsGivenUp(name, now)) return false;
        Sweep(_all.Count < MaxSegments ? ProcessChecks : MaxSegments);
        if (_all.Count >= MaxSegments) return NoRoom(name, now);
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

    /// <summary>Finds an open segment by its key.</summary>
    public BorrowedSegment? Find(ulong key) => _open.GetValueOrDefault(key);

    /// <summary>Leaves all segments.</summary>
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

    private void Sweep(int checks)
    {
        int first = _all.Count == 0 ? 0 : _next % _all.Count;
        _next = first + checks;
        for (int index = _all.Count - 1; index >= 0; index--)
        {
            BorrowedSegment segment = _all[index];
            bool isChecked = index >= first && index < first + checks;
            if (segment.Held > 0 || (!segment.IsClosed && (!isChecked || host.IsAlive(segment.Owner)))) continue;
            segment.Leave();
            _open.Remove(segment.Name.Key);
            _all.RemoveAt(index);
        }
    }
}
