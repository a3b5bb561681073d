using Microsoft.Extensions.Logging;

namespace QuickSilver.Cli.Printing;

/// <summary>The log of the tool's node: a line for each record on the error stream, fit for a terminal. Any
/// thread.</summary>
/// <param name="errors">Takes the lines.</param>
/// <param name="least">Records below this level are left out.</param>
internal sealed class CliLog(TextWriter errors, LogLevel least) : ILoggerFactory, ILogger
{
    /// <summary>Told each record of any level with its id and text; null for nobody.</summary>
    public Action<int, LogLevel, string>? Heard { get; init; }

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => this;

    /// <inheritdoc/>
    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException();

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) =>
        logLevel < LogLevel.None && (logLevel >= least || (Heard is not null && logLevel >= LogLevel.Information));

    /// <inheritdoc/>
    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel)) return;
        string text = formatter(state, exception);
        Heard?.Invoke(eventId.Id, logLevel, text);
        if (logLevel < least) return;
        string cause = exception is null ? "" : $" ({exception.GetType().Name}: {exception.Message})";
        errors.WriteLine(TerminalText.Escape($"QuickSilver {eventId.Id}, {logLevel}: {text}{cause}"));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
    }
}
