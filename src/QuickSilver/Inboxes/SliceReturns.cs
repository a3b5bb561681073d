using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;

namespace QuickSilver.Inboxes;

/// <summary>
/// References to received memory on their way back to the core, which alone may count them: gathered by readers and by disposed leases, taken by the
/// core whole, at the end of a turn. A sleeping core is woken only when much has gathered. The core never waits for the lock: taken means that it
/// comes back a turn later. After the node's end they are left to the collector, with the memory.
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

    /// <summary>Makes an empty one.</summary>
    /// <param name="wake">Has the core turn once; called when much has gathered, by whoever brought it.</param>
    public SliceReturns(Action wake) => _wake = wake;

    /// <summary>Gives one reference back. Any thread.</summary>
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

    /// <summary>Gives back the references of messages that have been read. Any thread.</summary>
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

    /// <summary>Releases what has been given back. Core thread only.</summary>
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

    /// <summary>Releases all that has been given back, waiting for the lock: the core's last act with it. Core thread only.</summary>
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

    /// <summary>The core is gone: what comes from now on is dropped. Any thread.</summary>
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
