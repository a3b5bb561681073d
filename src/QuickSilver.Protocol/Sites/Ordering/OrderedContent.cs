namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>What a member sent to groups that are ordered across sites. Nobody changes its bytes.</summary>
/// <param name="Sender">The text of the sender's id, as UTF-8.</param>
/// <param name="Name">Its readable name, as UTF-8.</param>
/// <param name="Sequence">Number of the message at its sender.</param>
/// <param name="Body">Group and payload, of which the order knows nothing.</param>
internal sealed record OrderedContent(byte[] Sender, byte[] Name, ulong Sequence, ReadOnlyMemory<byte> Body);
