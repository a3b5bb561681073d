using Microsoft.Extensions.Logging;

namespace QuickSilver.Diagnostics;

/// <summary>
/// A node's log. Logging providers are user code, so nobody who must not wait calls them: records go into a bounded ring and are written by a pool
/// thread, one at a time, in order. When providers are slower than the node, the newest records are dropped and counted, and the count is logged with
/// the next one that fits. Every record is written in a scope that names the node, since a process may have several. Any thread; costs an object per
/// record, so it is for what is rare.
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

    /// <summary>Makes a log that writes to the category "QuickSilver".</summary>
    /// <param name="factory">The application's.</param>
    /// <param name="node">The node's name.</param>
    public NodeLog(ILoggerFactory factory, string node)
    {
        _logger = factory.CreateLogger("QuickSilver");
        Node = node;
    }

    /// <summary>The node's name.</summary>
    public string Node { get; }

    /// <summary>Adds a record.</summary>
    /// <param name="state">What is logged.</param>
    /// <param name="write">Writes it, on a pool thread: a static lambda around one of <see cref="Log"/>'s methods.</param>
    public void Post<TState>(TState state, Action<ILogger, TState> write)
    {
        var record = new LogRecord<TState>(state, write);
        lock (_lock)
        {
            if (_records.Count >= Capacity)
            {
                _dropped++;
                return;
            }
            _records.Enqueue(record);
            if (_isDraining) return;
            _isDraining = true;
        }
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Ends when everything posted so far has been written.</summary>
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
            if (dropped > 0) Write(new LogRecord<int>(dropped, static (logger, count) => Log.RecordsDropped(logger, count)));
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

    // A provider that throws has nowhere to be reported to: the log is where that would go.
    private void Write(LogRecord record)
    {
        try
        {
            using IDisposable? scope = _logger.BeginScope("Node {Node}", Node);
            record.Write(_logger);
        }
        catch (Exception)
        {
            return;
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
