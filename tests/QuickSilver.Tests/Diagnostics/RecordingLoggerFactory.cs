using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using QuickSilver.Diagnostics;

namespace QuickSilver.Tests.Diagnostics;

/// <summary>Keeps what is logged, and the threads it is logged on.</summary>
internal sealed class RecordingLoggerFactory : ILoggerFactory, ILogger
{
    private readonly Action? _onLog;

    public RecordingLoggerFactory(Action? onLog = null) => _onLog = onLog;

    public ConcurrentQueue<(EventId Id, LogLevel Level, string Text, Exception? Fault)> Records { get; } = new();

    public ConcurrentDictionary<string, bool> ThreadNames { get; } = new();

    public IEnumerable<int> Ids => Records.Select(static record => record.Id.Id);

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        Records.Enqueue((eventId, logLevel, formatter(state, exception), exception));
        ThreadNames[Thread.CurrentThread.Name ?? ""] = true;
        _onLog?.Invoke();
    }

    public void Dispose()
    {
    }
}
