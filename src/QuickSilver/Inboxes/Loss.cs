using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>Messages of one sender that will never be read.</summary>
/// <param name="Sender">The sender of the messages.</param>
/// <param name="First">Number of the first message.</param>
/// <param name="Count">Number of messages; 0: unknown.</param>
/// <param name="Reason">Why they are lost.</param>
internal readonly record struct Loss(NodeInfo Sender, ulong First, ulong Count, LossReason Reason);
