using Microsoft.Extensions.Logging;

namespace QuickSilver.Hosting;

/// <summary>Every log message of a hosted node with its event id, from 1600 on; category "QuickSilver.Hosting". The ids
/// are a contract with readers of the log.</summary>
internal static partial class Log
{
    [LoggerMessage(1601, LogLevel.Critical, "The node of cluster {Cluster} did not start")]
    public static partial void StartFailed(ILogger logger, string cluster, Exception reason);

    [LoggerMessage(1602, LogLevel.Information, "Node {Name} has started with {Groups} groups")]
    public static partial void Started(ILogger logger, string name, int groups);

    [LoggerMessage(1603, LogLevel.Critical, "Node {Name} has ended by itself; the host stops")]
    public static partial void NodeEnded(ILogger logger, string name, Exception reason);

    [LoggerMessage(
        1604,
        LogLevel.Warning,
        "Node {Name} leaves its groups before every live member is known to hold what it sent: {Reason}")]
    public static partial void LeaveIncomplete(ILogger logger, string name, string reason);

    [LoggerMessage(
        1605,
        LogLevel.Warning,
        "Node {Name}: the host's shutdown timeout has passed before {What}")]
    public static partial void ShutdownTimedOut(ILogger logger, string name, string what);

    [LoggerMessage(
        1611,
        LogLevel.Warning,
        "Group {Group} has ended, and is joined again. What others send meanwhile is missed: {Reason}")]
    public static partial void Rejoining(ILogger logger, string group, string reason);

    [LoggerMessage(1612, LogLevel.Information, "Group {Group} is joined again after {Away}, {Members} members")]
    public static partial void Rejoined(ILogger logger, string group, TimeSpan away, int members);

    [LoggerMessage(
        1613,
        LogLevel.Warning,
        "Group {Group} cannot be joined again yet; the next try is in {Pause}: {Reason}")]
    public static partial void RejoinFailed(ILogger logger, string group, TimeSpan pause, string reason);

    [LoggerMessage(1614, LogLevel.Error, "Group {Group} has ended and is not joined again: {Reason}")]
    public static partial void GroupEnded(ILogger logger, string group, string reason);

    [LoggerMessage(1615, LogLevel.Error, "The handler {Handler} of group {Group} threw; policy {Policy}")]
    public static partial void HandlerFailed(
        ILogger logger, string handler, string group, HandlerErrorPolicy policy, Exception fault);

    [LoggerMessage(1616, LogLevel.Error, "A handler of an event of group {Group} threw")]
    public static partial void EventHandlerFailed(ILogger logger, string group, Exception fault);

    [LoggerMessage(
        1618,
        LogLevel.Warning,
        "Group {Group}: {Count} messages so far were no values. The last one is {Message}: {Reason}")]
    public static partial void Undeserialized(
        ILogger logger, string group, long count, string message, string reason);

    [LoggerMessage(1621, LogLevel.Information, "The start of the node of cluster {Cluster} was cancelled")]
    public static partial void StartCancelled(ILogger logger, string cluster);

    [LoggerMessage(
        1622,
        LogLevel.Warning,
        "The node was removed from the cluster while it joined {Groups}; the next try is in {Pause}: {Reason}")]
    public static partial void JoinRepeated(ILogger logger, string groups, TimeSpan pause, string reason);

    [LoggerMessage(
        1630, LogLevel.Warning, "The publisher of group {Group} has ended, and is opened again: {Reason}")]
    public static partial void Reopening(ILogger logger, string group, string reason);

    [LoggerMessage(
        1631, LogLevel.Information, "The publisher of group {Group} is open again after {Away}, {Members} members")]
    public static partial void Reopened(ILogger logger, string group, TimeSpan away, int members);

    [LoggerMessage(
        1632,
        LogLevel.Warning,
        "The publisher of group {Group} cannot be opened again yet; the next try is in {Pause}: {Reason}")]
    public static partial void ReopenFailed(ILogger logger, string group, TimeSpan pause, string reason);

    [LoggerMessage(
        1633, LogLevel.Error, "The publisher of group {Group} has ended and is not opened again: {Reason}")]
    public static partial void PublisherEnded(ILogger logger, string group, string reason);

    [LoggerMessage(
        1638,
        LogLevel.Error,
        "Node {Name}: the configuration has changed, and its membership servers cannot be used; the node keeps those "
        + "that it has: {Reason}")]
    public static partial void ServersNotChanged(ILogger logger, string name, string reason);

    [LoggerMessage(
        1617, LogLevel.Error, "The reading of group {Group} has failed; its handlers are called no more")]
    public static partial void ReadingFailed(ILogger logger, string group, Exception fault);
}
