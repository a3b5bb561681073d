namespace QuickSilver;

/// <summary>Messages will not be delivered to this node. Raised once per episode: all losses of one reason in a group,
/// from any sender, until ten seconds pass without one. <see cref="MessagesLost"/> reports each loss in the group's
/// order.</summary>
/// <param name="GroupName">The name of the group.</param>
/// <param name="Sender">The sender of the first lost message.</param>
/// <param name="Count">Number of messages lost when the episode began; 0: unknown.</param>
/// <param name="Reason">Why they are lost.</param>
public sealed record LossReported(string GroupName, MemberId Sender, ulong Count, LossReason Reason) : NodeEvent;
