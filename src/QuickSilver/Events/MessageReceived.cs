namespace QuickSilver;

/// <summary>A message.</summary>
/// <param name="Group">The handle it came by.</param>
/// <param name="Message">An owned copy.</param>
public sealed record MessageReceived(Group Group, Message Message) : GroupEvent(Group);
