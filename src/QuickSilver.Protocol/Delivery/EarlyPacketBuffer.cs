using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// Datagrams of views that are not installed here yet, because other nodes may be a step ahead. Copies are kept for a
/// short while, within a count and a number of bytes, and handled when their view is installed; dropped datagrams are
/// recovered like any loss. Core thread only. Source: first paper, section 3.3; the rules are in docs/protocol.md,
/// "Receiving".
/// </summary>
/// <remarks>
/// One circular array in order of arrival: adding and expiring are O(1), a replay visits all. Copies are cut from
/// shared chunks, which are released in order of arrival too. When full, the newest datagram is refused: the view's
/// installation, due soon, needs the oldest first.
/// </remarks>
/// <param name="settings">The limits.</param>
/// <param name="pool">Source of the copies' memory.</param>
/// <param name="counters">Receives all counts.</param>
internal sealed class EarlyPacketBuffer(DeliverySettings settings, BufferPool pool, DeliveryCounters counters)
{
    private const int FirstCapacity = 16;

    private readonly Arena _arena = new(pool, BufferOwner.Unrecognised);
    private readonly List<Entry> _replaying = [];
    private Entry[] _ring = new Entry[FirstCapacity];
    private int _head;

    private readonly record struct Entry(uint Tag, uint Counter, Arrival Arrival, Instant Arrived, Slice Datagram);

    /// <summary>Datagrams kept now.</summary>
    public int Count { get; private set; }

    /// <summary>Bytes of those datagrams.</summary>
    public long Bytes { get; private set; }

    /// <summary>When the oldest expires; never when there is none.</summary>
    public Instant NextExpiry => Count == 0 ? Instant.Never : At(0).Arrived + settings.UnrecognisedAge;

    /// <summary>Keeps a copy of a datagram, unless there is no room.</summary>
    /// <param name="tag">Tag of its view's number.</param>
    /// <param name="counter">Counter of its view's number.</param>
    /// <param name="arrival">Socket and source address.</param>
    /// <param name="datagram">The whole datagram.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>False when there was no room; counted.</returns>
    public bool TryAdd(uint tag, uint counter, in Arrival arrival, ReadOnlySpan<byte> datagram, Instant now)
    {
        Expire(now);
        bool isFull = Count >= settings.MaxUnrecognised || Bytes + datagram.Length > settings.MaxUnrecognisedBytes;
        Slice copy = default;
        if (isFull || settings.Probes.Here(BuggifySite.UnrecognisedRefused) || !_arena.TryCopy(datagram, out copy))
        {
            counters.UnrecognisedDropped++;
            settings.Probes.Reached("a packet of a view that is not installed finds no room");
            return false;
        }
        if (Count == _ring.Length) Grow();
        At(Count) = new Entry(tag, counter, arrival, now, copy);
        Count++;
        Bytes += datagram.Length;
        return true;
    }

    /// <summary>
    /// Passes the datagrams of a view that is now installed to the handler, in order of arrival, and drops them.
    /// </summary>
    /// <returns>Number of datagrams.</returns>
    public int Replay(uint tag, uint counter, ReplayHandler handler, Instant now)
    {
        Expire(now);
        // The handler may add datagrams of other views: its datagrams are removed first.
        System.Diagnostics.Debug.Assert(_replaying.Count == 0, "a replay inside a replay");
        int kept = 0;
        for (int index = 0; index < Count; index++)
        {
            Entry entry = At(index);
            if (entry.Tag == tag && entry.Counter == counter) _replaying.Add(entry);
            else At(kept++) = entry;
        }
        for (int index = kept; index < Count; index++) At(index) = default;
        Count = kept;
        foreach (Entry entry in _replaying)
        {
            Bytes -= entry.Datagram.Length;
            handler(entry.Datagram, entry.Arrival, now);
            entry.Datagram.Release();
        }
        int replayed = _replaying.Count;
        _replaying.Clear();
        counters.UnrecognisedReplayed += (ulong)replayed;
        return replayed;
    }

    /// <summary>Drops expired datagrams.</summary>
    public void Expire(Instant now)
    {
        while (Count > 0 && NextExpiry <= now)
        {
            DropFirst();
            counters.UnrecognisedDropped++;
            settings.Probes.Reached("a view is not installed in time for its packets");
        }
        if (Count == 0) _arena.Close();
    }

    /// <summary>Releases everything.</summary>
    public void Close()
    {
        while (Count > 0) DropFirst();
        _arena.Close();
    }

    private void DropFirst()
    {
        ref Entry first = ref At(0);
        Bytes -= first.Datagram.Length;
        first.Datagram.Release();
        first = default;
        _head = (_head + 1) & (_ring.Length - 1);
        Count--;
    }

    private ref Entry At(int index) => ref _ring[(_head + index) & (_ring.Length - 1)];

    private void Grow()
    {
        var larger = new Entry[_ring.Length * 2];
        for (int index = 0; index < Count; index++) larger[index] = At(index);
        _ring = larger;
        _head = 0;
    }
}
