using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>Messages of one sender that nobody will read.</summary>
/// <param name="Sender">Who sent them.</param>
/// <param name="First">Number of the first.</param>
/// <param name="Count">How many; 0: unknown.</param>
/// <param name="Reason">Why.</param>
internal readonly record struct Loss(NodeInfo Sender, ulong First, ulong Count, LossReason Reason);
