using QuickSilver.Inboxes.Shared;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Inboxes;

/// <summary>
/// References to received memory on their way back to the core, which alone may change reference counts. Readers and
/// disposed leases add them; the core takes all of them at the end of a turn. A sleeping core is woken only when many
/// have accumulated. The core does not wait for the lock: if it is held, the core tries again a turn later. After the
/// node's end the references are left to the garbage collector, with the memory.
/// </summary>
internal sealed class SliceReturns
{
    private const int WakesAt = 512;

    private readonly Lock _lock = new();
    private readonly Action _wake;
    private List<Chunk> _filling = [];
    private List<Chunk> _draining = [];
    private int _count;
    private bool _isClosed;

    /// <summary>Creates an empty collection.</summary>
    /// <param name="wake">Wakes the core for one turn. Called when many references have accumulated, on the adding
    /// thread.</param>
    public SliceReturns(Action wake) => _wake = wake;

    /// <summary>Returns one reference. Any thread.</summary>
    public void Add(Chunk chunk)
    {
        bool wakes;
        lock (_lock)
        {
            if (_isClosed) return;
            _filling.Add(chunk);
            wakes = Count() == WakesAt;
        }
        if (wakes) _wake();
    }

    /// <summary>Returns the references of messages that were read. Any thread.</summary>
    public void AddAll(ReadOnlySpan<InboxEntry> entries)
    {
        bool wakes;
        lock (_lock)
        {
            if (_isClosed) return;
            int before = _filling.Count;
            foreach (ref readonly InboxEntry entry in entries)
            {
                if (entry.Chunk is { } chunk) _filling.Add(chunk);
            }
            wakes = before < WakesAt && Count() >= WakesAt;
        }
        if (wakes) _wake();
    }

    /// <summary>Returns the references of messages that were read. Any thread.</summary>
    public void AddAll(ReadOnlySpan<SharedEntry> entries)
    {
        bool wakes;
        lock (_lock)
        {
            if (_isClosed) return;
            int before = _filling.Count;
            foreach (ref readonly SharedEntry entry in entries)
            {
                if (entry.Entry.Chunk is { } chunk) _filling.Add(chunk);
            }
            wakes = before < WakesAt && Count() >= WakesAt;
        }
        if (wakes) _wake();
    }

    /// <summary>Releases the returned references. Core thread only.</summary>
    public void Drain()
    {
        if (Volatile.Read(ref _count) == 0 || !_lock.TryEnter()) return;
        try
        {
            (_filling, _draining) = (_draining, _filling);
            Count();
        }
        finally
        {
            _lock.Exit();
        }
        foreach (Chunk chunk in _draining) chunk.Release();
        _draining.Clear();
    }

    /// <summary>Releases the returned references, waits for the lock, and closes: the core's last call. Core thread
    /// only.</summary>
    public void DrainAndClose()
    {
        lock (_lock)
        {
            if (_isClosed) return;
            _isClosed = true;
            foreach (Chunk chunk in _filling) chunk.Release();
            _filling.Clear();
            Count();
        }
    }

    /// <summary>Closes without the core: references returned from now on are dropped. Any thread.</summary>
    public void Close()
    {
        lock (_lock)
        {
            _isClosed = true;
            _filling.Clear();
            Count();
        }
    }

    private int Count()
    {
        int count = _filling.Count;
        Volatile.Write(ref _count, count);
        return count;
    }
}
