using Microsoft.Extensions.Logging;

namespace QuickSilver.Tests.Programs;

/// <summary>
/// What the program says, one line each: answers to commands, node events, and every log record ("log LEVEL ID text").
/// Any thread.
/// </summary>
internal sealed class MemberLines : ILoggerFactory, ILogger
{
    private readonly Lock _lock = new();

    /// <summary>Says a line.</summary>
    public void Say(string line)
    {
        lock (_lock)
        {
            Console.Out.WriteLine(line.ReplaceLineEndings(" "));
            Console.Out.Flush();
        }
    }

    /// <summary>Says what has happened to the node.</summary>
    public void Say(NodeEvent happened)
    {
        switch (happened)
        {
            case NodeStateChanged state:
                Say($"state {state.Before} {state.After} {state.Reason}");
                break;
            case NodeRejoined back:
                Say($"rejoined {back.Before} {back.After}");
                break;
            case GroupEnded ended:
                Say($"ended {ended.GroupName} {ended.Reason.Code} {ended.Reason.Message}");
                break;
            default:
                Say($"event {happened}");
                break;
        }
    }

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => this;

    /// <inheritdoc/>
    public void AddProvider(ILoggerProvider provider)
    {
    }

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => true;

    /// <inheritdoc/>
    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        string text = formatter(state, exception);
        Say($"log {logLevel} {eventId.Id} {(exception is null ? text : $"{text}: {exception}")}");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
    }
}
