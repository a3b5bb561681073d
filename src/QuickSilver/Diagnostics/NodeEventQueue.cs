namespace QuickSilver.Diagnostics;

/// <summary>
/// Raises a node's events on the thread pool, one at a time and in order, so that handlers may take their time.
/// Bounded: beyond <see cref="Capacity"/> events the oldest are dropped. Events that precede the first handler wait for
/// it (<see cref="Begin"/>), the last <see cref="Kept"/> of them. Any thread.
/// </summary>
internal sealed class NodeEventQueue : IThreadPoolWorkItem
{
    /// <summary>Limit on events that wait to be raised.</summary>
    public const int Capacity = 1_024;

    /// <summary>Limit on events that wait for the first handler.</summary>
    public const int Kept = 64;

    private readonly Lock _lock = new();
    private readonly Queue<NodeEvent> _events = new();
    private readonly NodeLog _log;
    private readonly Action<NodeEvent> _raise;
    private bool _hasBegun;
    private bool _isDraining;

    /// <summary>Creates an empty queue.</summary>
    /// <param name="log">Logs exceptions of handlers.</param>
    /// <param name="raise">Calls the handlers.</param>
    public NodeEventQueue(NodeLog log, Action<NodeEvent> raise)
    {
        _log = log;
        _raise = raise;
    }

    /// <summary>Adds an event.</summary>
    public void Post(NodeEvent happened)
    {
        lock (_lock)
        {
            if (_events.Count >= (_hasBegun ? Capacity : Kept)) _events.Dequeue();
            _events.Enqueue(happened);
            if (!_hasBegun || _isDraining) return;
            _isDraining = true;
        }
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Raises the waiting events: the first handler is attached. Repeated calls have no effect.</summary>
    public void Begin()
    {
        lock (_lock)
        {
            if (_hasBegun) return;
            _hasBegun = true;
            _isDraining = true;
        }
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    void IThreadPoolWorkItem.Execute()
    {
        while (true)
        {
            NodeEvent? next;
            lock (_lock)
            {
                if (!_events.TryDequeue(out next))
                {
                    _isDraining = false;
                    return;
                }
            }
            Raise(next);
        }
    }

    private void Raise(NodeEvent next)
    {
        try
        {
            _raise(next);
        }
        catch (Exception fault)
        {
            _log.Post(
                (Name: next.GetType().Name, Fault: fault),
                static (logger, s) => Log.EventHandlerFailed(logger, s.Name, s.Fault));
        }
    }
}
