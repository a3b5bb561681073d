namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.LateralData"/>, whose header names the sender of the message, and of a
/// <see cref="DatagramKind.LateralResend"/>, whose header names the node that was asked.
/// <code>
/// origin      varint   key of the message's sender; only in a resend
/// group       varint   counter of the group's id
/// number      varint   the message's number
/// fragment    varint   0: whole; else from 1
/// block                LateralBlock
/// </code>
/// </summary>
internal static class LateralDataBody
{
    /// <summary>The longest body before the block.</summary>
    public const int MaxPrefix = 10 + 5 + 10 + 3;

    /// <summary>Writes everything but the block.</summary>
    public static void WritePrefix(ref WireWriter writer, in LateralId id, bool isResend)
    {
        if (isResend) writer.WriteVarint(id.Sender);
        writer.WriteVarint(id.Group);
        writer.WriteVarint(id.Number);
        writer.WriteVarint(id.Fragment);
    }

    /// <summary>Reads a body; false when it is malformed.</summary>
    /// <param name="body">The body.</param>
    /// <param name="sender">The header's sender.</param>
    /// <param name="isResend">True in a resend.</param>
    /// <param name="id">The packet's id.</param>
    /// <param name="blockOffset">Where the block begins.</param>
    public static bool TryRead(
        ReadOnlySpan<byte> body, ulong sender, bool isResend, out LateralId id, out int blockOffset)
    {
        var reader = new WireReader(body);
        ulong origin = isResend ? reader.ReadVarint() : sender;
        ulong group = reader.ReadVarint(uint.MaxValue);
        ulong number = reader.ReadVarint();
        ulong fragment = reader.ReadVarint(LateralId.MaxFragments);
        id = new LateralId(origin, (uint)group, number, (uint)fragment);
        blockOffset = body.Length - reader.Remaining;
        return !reader.Failed && id.IsValid && reader.Remaining <= LateralBlock.MaxLength;
    }
}
