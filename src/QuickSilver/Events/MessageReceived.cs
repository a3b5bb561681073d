namespace QuickSilver;

/// <summary>A message arrived.</summary>
/// <param name="Group">The handle that received it.</param>
/// <param name="Message">A copy that the application owns.</param>
public sealed record MessageReceived(Group Group, Message Message) : GroupEvent(Group);
