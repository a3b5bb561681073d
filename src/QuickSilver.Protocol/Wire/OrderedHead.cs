namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Begins the body of an <see cref="DatagramKind.OrderedData"/> and an <see cref="DatagramKind.OrderedRepair"/>: one
/// packet of a ring. Records follow (<see cref="OrderedRecord"/>), at least one.
/// <code>
/// ring        RingId
/// sequence    varint   place of the packet in the order, from 1
/// sender      8 bytes  key of the node that made the packet; the header's sender may have sent it again
/// step        varint   counter of the step that its messages are sent in, less the counter of the ring
/// </code>
/// </summary>
/// <param name="Ring">The ring.</param>
/// <param name="Sequence">Place of the packet in the order.</param>
/// <param name="Sender">Key of the node that made it.</param>
/// <param name="Step">Counter of the step of its messages, of the ring's term.</param>
internal readonly record struct OrderedHead(RingId Ring, ulong Sequence, ulong Sender, ulong Step)
{
    /// <summary>The longest head.</summary>
    public const int MaxLength = RingId.MaxLength + 10 + 8 + 10;

    /// <summary>Writes the head.</summary>
    public void WriteTo(ref WireWriter writer)
    {
        Ring.WriteTo(ref writer);
        writer.WriteVarint(Sequence);
        writer.WriteUInt64(Sender);
        writer.WriteVarint(Step - Ring.Counter);
    }

    /// <summary>Reads a head, and looks at all records; false when a part is malformed.</summary>
    /// <param name="body">The body.</param>
    /// <param name="head">The head.</param>
    /// <param name="length">Its length: the records follow.</param>
    public static bool TryRead(ReadOnlySpan<byte> body, out OrderedHead head, out int length)
    {
        var reader = new WireReader(body);
        RingId ring = RingId.Read(ref reader);
        ulong sequence = reader.ReadVarint();
        ulong sender = reader.ReadUInt64();
        ulong after = reader.ReadVarint(uint.MaxValue);
        head = new OrderedHead(ring, sequence, sender, ring.Counter + after);
        length = body.Length - reader.Remaining;
        if (reader.Failed || sequence is 0 or > long.MaxValue || reader.Remaining == 0) return false;
        int at = length;
        while (at < body.Length)
        {
            if (!OrderedRecord.TryRead(body, ref at, out _)) return false;
        }
        return true;
    }
}
