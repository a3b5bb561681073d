namespace QuickSilver;

/// <summary>What became of a confirmed message: every member of its view that is still alive holds it. To hold is not to have processed.</summary>
/// <param name="Sequence">The message's number, as receivers see it.</param>
/// <param name="ViewNumber">The group view it was sent in.</param>
/// <param name="Confirmed">Members that hold it, this node included.</param>
/// <param name="Removed">Members removed from the cluster before they were known to hold it.</param>
/// <param name="Elapsed">From the call to the confirmation.</param>
public readonly record struct DeliveryReport(ulong Sequence, ulong ViewNumber, int Confirmed, int Removed, TimeSpan Elapsed);
