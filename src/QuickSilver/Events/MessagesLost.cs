namespace QuickSilver;

/// <summary>Messages of one sender will not be delivered to this node. Comes right before the sender's next message;
/// consecutive losses are merged.</summary>
/// <param name="Group">The handle that lost them.</param>
/// <param name="Sender">The sender of the messages.</param>
/// <param name="First">Number of the first lost message. 0: unknown, because this node received nothing from the sender
/// before the sender failed.</param>
/// <param name="Count">Number of messages. 0: unknown. If <paramref name="First"/> is known, every message of the
/// sender from it on is lost, possibly none: no live member knows the sender's last number.</param>
/// <param name="Reason">Why they are lost.</param>
public sealed record MessagesLost(Group Group, MemberId Sender, ulong First, ulong Count, LossReason Reason)
    : GroupEvent(Group);
