namespace QuickSilver;

/// <summary>Messages will not be delivered here. Once per episode: the losses of one reason in a group, of whatever senders, until ten seconds pass
/// without; in band they are <see cref="MessagesLost"/>s.</summary>
/// <param name="GroupName">The group.</param>
/// <param name="Sender">Who sent the first of them.</param>
/// <param name="Count">How many there were when the episode began; 0: unknown.</param>
/// <param name="Reason">Why.</param>
public sealed record LossReported(string GroupName, MemberId Sender, ulong Count, LossReason Reason) : NodeEvent;
