using Microsoft.Extensions.Logging;

namespace QuickSilver.WideArea.Diagnostics;

/// <summary>Every log message of a gateway with its event id, from 1701 on; category "QuickSilver.WideArea". The ids
/// are a contract with readers of the log.</summary>
internal static partial class Log
{
    [LoggerMessage(
        1701,
        LogLevel.Information,
        "The gateway of site {Site} in overlay {Overlay} listens at {Address}: {Groups} groups")]
    public static partial void Started(ILogger logger, string site, string overlay, string address, int groups);

    [LoggerMessage(1702, LogLevel.Information, "The gateway of site {Site} has stopped")]
    public static partial void Stopped(ILogger logger, string site);

    [LoggerMessage(1703, LogLevel.Information, "The link from {Site} to {Other} is up: round trip {RoundTrip}")]
    public static partial void LinkUp(ILogger logger, string site, string other, TimeSpan roundTrip);

    [LoggerMessage(1704, LogLevel.Warning, "The link from {Site} to {Other} has failed: {Reason}. It is tried again")]
    public static partial void LinkFailed(ILogger logger, string site, string other, string reason);

    [LoggerMessage(
        1705, LogLevel.Warning, "Site {Other} cannot be reached from {Site}. What is for it is kept for {HoldTime}")]
    public static partial void SiteLost(ILogger logger, string other, string site, TimeSpan holdTime);

    [LoggerMessage(1706, LogLevel.Information, "Site {Other} is reached from {Site} by {Via}")]
    public static partial void SiteReached(ILogger logger, string other, string site, string via);

    [LoggerMessage(1707, LogLevel.Warning, "The address '{Address}' of site {Other} cannot be resolved: {Reason}")]
    public static partial void AddressUnknown(ILogger logger, string address, string other, string reason);

    [LoggerMessage(
        1708,
        LogLevel.Warning,
        "{Count} datagrams that no key of the links has sealed came to the gateway of {Site} and were dropped")]
    public static partial void Strangers(ILogger logger, string site, long count);

    [LoggerMessage(
        1709,
        LogLevel.Warning,
        "The gateway at site {Other} has another overlay name, or another list of links, than {Site}: it is refused")]
    public static partial void OtherOverlay(ILogger logger, string other, string site);

    [LoggerMessage(1710, LogLevel.Warning, "{Count} records of group {Group} from site {Other} never come to {Site}")]
    public static partial void RecordsLost(ILogger logger, ulong count, string group, string other, string site);

    [LoggerMessage(
        1711,
        LogLevel.Warning,
        "{Count} messages of group {Group} do not leave site {Site}: {Reason}")]
    public static partial void MessagesMissed(ILogger logger, ulong count, string group, string site, string reason);

    [LoggerMessage(
        1712, LogLevel.Warning, "Group {Group} is held up at site {Site} by site {Other}: {Bytes} bytes wait")]
    public static partial void HeldUp(ILogger logger, string group, string site, string other, long bytes);

    [LoggerMessage(1713, LogLevel.Information, "Group {Group} is held up at site {Site} no longer")]
    public static partial void Released(ILogger logger, string group, string site);

    [LoggerMessage(
        1714, LogLevel.Warning, "The gateway of {Site} is not in group {Group}, and joins it again: {Reason}")]
    public static partial void Rejoining(ILogger logger, string site, string group, string reason);

    [LoggerMessage(
        1715,
        LogLevel.Warning,
        "A message of site {Other} is not published in group {Group} at {Site}: {Reason}")]
    public static partial void MessageRefused(ILogger logger, string other, string group, string site, string reason);

    [LoggerMessage(1716, LogLevel.Critical, "The loop of the gateway of {Site} has failed")]
    public static partial void LoopFailed(ILogger logger, string site, Exception fault);

    [LoggerMessage(
        1717, LogLevel.Information, "The gateway of site {Site} stands by: that beside node {Other} is active")]
    public static partial void StandsBy(ILogger logger, string site, string other);

    [LoggerMessage(
        1718,
        LogLevel.Warning,
        "The gateway of site {Site} takes over. {Kept} messages that other sites may lack are sent again")]
    public static partial void TakesOver(ILogger logger, string site, long kept);

    [LoggerMessage(
        1719,
        LogLevel.Warning,
        "The gateway of {Site} that stands by lets {Count} messages of group {Group} go: too many wait")]
    public static partial void LetsGo(ILogger logger, string site, ulong count, string group);

    [LoggerMessage(
        1720, LogLevel.Information, "Group {Group} has members at site {Site} again: other sites send to it")]
    public static partial void HasMembers(ILogger logger, string site, string group);

    [LoggerMessage(1721, LogLevel.Information, "Group {Group} has no members at site {Site}: other sites send nothing")]
    public static partial void HasNoMembers(ILogger logger, string site, string group);

    [LoggerMessage(
        1730,
        LogLevel.Warning,
        "The order of all sites waits at {Site} for site {Other}: {Count} messages wait until it is heard")]
    public static partial void OrderWaits(ILogger logger, string site, string other, int count);

    [LoggerMessage(1731, LogLevel.Information, "The order of all sites goes on at {Site}")]
    public static partial void OrderGoesOn(ILogger logger, string site);

    [LoggerMessage(1732, LogLevel.Warning, "The order of all sites goes on at {Site} without {Others}")]
    public static partial void OrderLeavesOut(ILogger logger, string site, string others);

    [LoggerMessage(1733, LogLevel.Information, "The order at {Site} has all sites from here on")]
    public static partial void OrderHasAll(ILogger logger, string site);

    [LoggerMessage(
        1734,
        LogLevel.Information,
        "A connection between {Site} and {Remote} stands, whose certificate is of {Identity}")]
    public static partial void Connected(ILogger logger, string site, string remote, string identity);

    [LoggerMessage(
        1735,
        LogLevel.Warning,
        "A connection of {Remote} to the gateway of {Site} is refused: {Reason}. {Count} in all since the last record")]
    public static partial void ConnectionRefused(
        ILogger logger, string remote, string site, string reason, long count);

    [LoggerMessage(
        1736,
        LogLevel.Warning,
        "The gateway of {Site} cannot connect to {Address} of site {Other}: {Reason}. It is tried again")]
    public static partial void CannotConnect(
        ILogger logger, string site, string address, string other, string reason);

    [LoggerMessage(1737, LogLevel.Warning, "The connection between {Site} and {Remote} is closed: {Reason}")]
    public static partial void ConnectionClosed(ILogger logger, string remote, string site, string reason);

    [LoggerMessage(
        1738,
        LogLevel.Warning,
        "The certificate of the gateway of {Site} cannot be read again, and the one before is used: {Reason}")]
    public static partial void CertificateStale(ILogger logger, string site, string reason);
}
