using Microsoft.Extensions.Logging;

namespace QuickSilver.Diagnostics;

/// <summary>What logs where the application has given no logger factory: warnings and errors, each a line on the
/// standard error stream. Any thread.</summary>
internal sealed class StandardErrorLog : ILoggerFactory, ILogger
{
    private StandardErrorLog()
    {
    }

    /// <summary>The only instance.</summary>
    public static StandardErrorLog Instance { get; } = new();

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => this;

    /// <inheritdoc/>
    public void AddProvider(ILoggerProvider provider) =>
        throw new NotSupportedException("This factory has one way to log: give the node a factory of your own.");

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => logLevel is >= LogLevel.Warning and < LogLevel.None;

    /// <inheritdoc/>
    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel)) return;
        string cause = exception is null ? "" : $" ({exception.GetType().Name}: {exception.Message})";
        Console.Error.WriteLine($"QuickSilver {eventId.Id}, {logLevel}: {formatter(state, exception)}{cause}");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
    }
}
