namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// A record on its way over a link. The head is this link's own; links that carry one record share its payload.
/// </summary>
/// <param name="Head">Bytes of the record's head, which nobody changes.</param>
/// <param name="Payload">What follows it, which nobody changes.</param>
/// <param name="Flow">Records that keep their order have the same one; 0: what gateways tell each other.</param>
internal readonly record struct LinkItem(ReadOnlyMemory<byte> Head, ReadOnlyMemory<byte> Payload, ulong Flow = 0)
{
    /// <summary>Bytes of the record.</summary>
    public int Length => Head.Length + Payload.Length;
}
