namespace QuickSilver;

/// <summary>What the application has not read of one group. Part of <see cref="NodeSnapshot"/>.</summary>
/// <param name="Group">Name of the group.</param>
/// <param name="Messages">Unread messages in all handles on the group.</param>
/// <param name="Bytes">Bytes of these messages and of undisposed leases.</param>
public sealed record InboxReport(string Group, long Messages, long Bytes);
