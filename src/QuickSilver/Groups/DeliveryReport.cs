namespace QuickSilver;

/// <summary>The outcome of a confirmed send: every live member of the message's view holds the message. A member that
/// holds a message has not necessarily processed it.</summary>
/// <param name="Sequence">The message's number, as receivers see it.</param>
/// <param name="ViewNumber">Number of the group view in which it was sent.</param>
/// <param name="Confirmed">Number of members that hold it, this node included.</param>
/// <param name="Removed">Number of members that were removed from the cluster before they confirmed it.</param>
/// <param name="Elapsed">Time from the call to the confirmation.</param>
public readonly record struct DeliveryReport(
    ulong Sequence, ulong ViewNumber, int Confirmed, int Removed, TimeSpan Elapsed);
