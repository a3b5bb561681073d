using Microsoft.Extensions.Logging;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Carriers;

namespace QuickSilver.Diagnostics;

/// <summary>Log messages on how two nodes reach each other's data: event ids 1210 to 1213. See <see cref="Log"/> for the contract.</summary>
internal static partial class CarrierLog
{
    /// <summary>Writes the message of a change.</summary>
    /// <param name="logger">Where to.</param>
    /// <param name="node">This node's name.</param>
    /// <param name="other">The member's name; for <see cref="CarrierChange.SenderUnheard"/> the sender's.</param>
    /// <param name="change">What has changed.</param>
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
        "What {Node} multicasts does not reach {Member}: {Member} is sent copies by unicast. Look at the switches between them; multicast is tried again")]
    private static partial void MemberToUnicast(ILogger logger, string node, string member);

    [LoggerMessage(1211, LogLevel.Information, "What {Node} multicasts reaches {Member} again: copies by unicast have ended")]
    private static partial void MemberToMulticast(ILogger logger, string node, string member);

    [LoggerMessage(
        1212,
        LogLevel.Warning,
        "Neither what {Node} multicasts nor copies by unicast reach {Member}: copies have ended, others repair what {Member} misses")]
    private static partial void CopiesInVain(ILogger logger, string node, string member);

    [LoggerMessage(1213, LogLevel.Warning, "Nothing that {Sender} multicasts arrives at {Node}: {Sender} is asked for copies by unicast")]
    private static partial void SenderUnheard(ILogger logger, string sender, string node);
}
