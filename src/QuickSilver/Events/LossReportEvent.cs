namespace QuickSilver;

/// <summary>Messages will not be delivered here. Once per episode; in band they are <see cref="LossEvent"/>s.</summary>
/// <param name="GroupName">The group.</param>
/// <param name="Sender">Who sent them.</param>
/// <param name="Count">How many so far in this episode; 0: unknown.</param>
/// <param name="Reason">Why.</param>
public sealed record LossReportEvent(string GroupName, MemberId Sender, ulong Count, LossReason Reason) : NodeEvent;
