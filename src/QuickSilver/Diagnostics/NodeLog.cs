using Microsoft.Extensions.Logging;

namespace QuickSilver.Diagnostics;

/// <summary>
/// A node's log. Logging providers are user code and may block, so no protocol thread calls them. Records enter a
/// bounded ring, and a pool thread writes them one at a time, in order. If providers are slower than the node, the
/// newest records are dropped; their number is logged after the next one that fits. Each record is written in a scope
/// that names the node, since a process may run several. Any thread; allocates an object per record, so it is for rare
/// events.
/// </summary>
internal sealed class NodeLog : IThreadPoolWorkItem
{
    private const int Capacity = 1_024;

    private readonly ILogger _logger;
    private readonly Lock _lock = new();
    private readonly Queue<LogRecord> _records = new();
    private TaskCompletionSource? _idle;
    private bool _isDraining;
    private int _dropped;
    private long _lost;

    /// <summary>Creates a log that writes to the category "QuickSilver".</summary>
    /// <param name="factory">The application's factory.</param>
    /// <param name="node">Name of the node.</param>
    public NodeLog(ILoggerFactory factory, string node)
    {
        _logger = factory.CreateLogger("QuickSilver");
        Node = node;
    }

    /// <summary>Name of the node.</summary>
    public string Node { get; }

    /// <summary>Records that nobody got: the provider threw, or was slower than the node. Any thread.</summary>
    public long Lost => Interlocked.Read(ref _lost);

    /// <summary>Adds a record.</summary>
    /// <param name="state">The values to log.</param>
    /// <param name="write">Writes the record on a pool thread: a static lambda that calls a method of
    /// <see cref="Log"/>.</param>
    public void Post<TState>(TState state, Action<ILogger, TState> write)
    {
        var record = new LogRecord<TState>(state, write);
        lock (_lock)
        {
            if (_records.Count >= Capacity)
            {
                _dropped++;
                Interlocked.Increment(ref _lost);
                return;
            }
            _records.Enqueue(record);
            if (_isDraining) return;
            _isDraining = true;
        }
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Completes when every record posted so far has been written.</summary>
    public Task FlushAsync()
    {
        lock (_lock)
        {
            if (!_isDraining) return Task.CompletedTask;
            _idle ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _idle.Task;
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        while (TryNext(out LogRecord? record, out int dropped))
        {
            Write(record);
            if (dropped > 0)
                Write(new LogRecord<int>(dropped, static (logger, count) => Log.RecordsDropped(logger, count)));
        }
    }

    private bool TryNext([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out LogRecord? record, out int dropped)
    {
        TaskCompletionSource? idle;
        lock (_lock)
        {
            dropped = _dropped;
            _dropped = 0;
            if (_records.TryDequeue(out record)) return true;
            _isDraining = false;
            idle = _idle;
            _idle = null;
        }
        idle?.TrySetResult();
        return false;
    }

    // An exception of a provider is counted: the log itself would be the place to report it.
    private void Write(LogRecord record)
    {
        try
        {
            using IDisposable? scope = _logger.BeginScope("Node {Node}", Node);
            record.Write(_logger);
        }
        catch (Exception)
        {
            Interlocked.Increment(ref _lost);
        }
    }

    private abstract class LogRecord
    {
        public abstract void Write(ILogger logger);
    }

    private sealed class LogRecord<TState>(TState state, Action<ILogger, TState> write) : LogRecord
    {
        public override void Write(ILogger logger) => write(logger, state);
    }
}
