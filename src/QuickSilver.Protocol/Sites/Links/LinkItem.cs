namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// A record on its way over a link. The head is this link's own; links that carry one record share its payload.
/// </summary>
/// <param name="Head">Bytes of the record's head, which nobody changes.</param>
/// <param name="Payload">What follows it, which nobody changes.</param>
internal readonly record struct LinkItem(ReadOnlyMemory<byte> Head, ReadOnlyMemory<byte> Payload)
{
    /// <summary>Bytes of the record.</summary>
    public int Length => Head.Length + Payload.Length;
}
