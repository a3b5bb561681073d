namespace QuickSilver.WideArea;

/// <summary>Where a message of another site comes from. Immutable.</summary>
/// <param name="Site">Name of the site.</param>
/// <param name="Sender">The node there that sent it.</param>
/// <param name="SenderName">Readable name of that node.</param>
/// <param name="Sequence">Number of the message there, as <see cref="Message.Sequence"/>.</param>
public sealed record SiteOrigin(string Site, MemberId Sender, string SenderName, ulong Sequence);
