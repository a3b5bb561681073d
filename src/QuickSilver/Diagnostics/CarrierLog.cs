using Microsoft.Extensions.Logging;
using QuickSilver.Protocol.Dissemination.Streams;

namespace QuickSilver.Diagnostics;

/// <summary>Log messages about the transport between two nodes: event ids 1210 to 1213. See <see cref="Log"/> for the
/// contract.</summary>
internal static partial class CarrierLog
{
    /// <summary>Writes the log message of a change.</summary>
    /// <param name="logger">Destination of the message.</param>
    /// <param name="node">Name of this node.</param>
    /// <param name="other">Name of the member; of the sender for <see cref="CarrierChange.SenderUnheard"/>.</param>
    /// <param name="change">The change.</param>
    public static void Write(ILogger logger, string node, string other, CarrierChange change)
    {
        switch (change)
        {
            case CarrierChange.MemberToUnicast: MemberToUnicast(logger, node, other); break;
            case CarrierChange.MemberToMulticast: MemberToMulticast(logger, node, other); break;
            case CarrierChange.CopiesInVain: CopiesInVain(logger, node, other); break;
            default: SenderUnheard(logger, other, node); break;
        }
    }

    [LoggerMessage(
        1210,
        LogLevel.Warning,
        "Multicast of {Node} does not reach {Member}: {Member} is sent copies by unicast. Check the switches "
        + "between them; multicast is tried again")]
    private static partial void MemberToUnicast(ILogger logger, string node, string member);

    [LoggerMessage(
        1211,
        LogLevel.Information,
        "Multicast of {Node} reaches {Member} again: copies by unicast have ended")]
    private static partial void MemberToMulticast(ILogger logger, string node, string member);

    [LoggerMessage(
        1212,
        LogLevel.Warning,
        "Neither multicast nor unicast copies of {Node} reach {Member}: copies have ended, other members repair "
        + "what {Member} misses")]
    private static partial void CopiesInVain(ILogger logger, string node, string member);

    [LoggerMessage(
        1213,
        LogLevel.Warning,
        "No multicast of {Sender} arrives at {Node}: {Sender} is asked for copies by unicast")]
    private static partial void SenderUnheard(ILogger logger, string sender, string node);
}
