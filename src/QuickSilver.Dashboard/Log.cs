using Microsoft.Extensions.Logging;

namespace QuickSilver.Dashboard;

/// <summary>Every log message of a dashboard with its event id, from 1800 on; category "QuickSilver.Dashboard". The ids
/// are a contract with readers of the log.</summary>
internal static partial class Log
{
    [LoggerMessage(1801, LogLevel.Warning, "The dashboard cannot watch its cluster, and tries again: {Reason}")]
    public static partial void WatchFailed(ILogger logger, string reason, Exception exception);
}
