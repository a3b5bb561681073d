namespace QuickSilver.WideArea.Ordering;

/// <summary>What the ring of a site gives to all its members in one order: a view, or a message.</summary>
/// <param name="Members">The members of a view; null for a message.</param>
/// <param name="Sender">The sender of a message.</param>
/// <param name="SenderName">Its readable name.</param>
/// <param name="Sequence">Number of the message at its sender.</param>
/// <param name="Body">The bytes, which nobody changes.</param>
internal readonly record struct RingEvent(
    IReadOnlyList<MemberId>? Members, MemberId Sender = default, string SenderName = "", ulong Sequence = 0,
    ReadOnlyMemory<byte> Body = default);
