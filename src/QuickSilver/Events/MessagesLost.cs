namespace QuickSilver;

/// <summary>Messages of one sender that will not be delivered here. Comes right before that sender's next message; losses in
/// a row are merged.</summary>
/// <param name="Group">The handle it came by.</param>
/// <param name="Sender">Who sent them.</param>
/// <param name="First">Number of the first; 0: unknown, this node had got nothing of the sender before it died.</param>
/// <param name="Count">How many; 0: unknown. With a known first they are the sender's last ones, perhaps none: whoever could tell has died.</param>
/// <param name="Reason">Why.</param>
public sealed record MessagesLost(Group Group, MemberId Sender, ulong First, ulong Count, LossReason Reason) : GroupEvent(Group);
