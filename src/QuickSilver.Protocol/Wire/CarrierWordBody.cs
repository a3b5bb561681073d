namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Body of a <see cref="DatagramKind.CarrierWord"/>: a member's report to one sender on that sender's multicast. The
/// header's sender is the member.
/// <code>
/// heard       varint  number of the probe that was heard by multicast, plus 1; 0: none of the sender's multicasts
/// arrives
/// </code>
/// </summary>
/// <param name="Heard">The probe that was heard; null: none of the sender's multicasts arrives.</param>
internal readonly record struct CarrierWordBody(ulong? Heard)
{
    /// <summary>The longest body.</summary>
    public const int MaxLength = 10;

    /// <summary>Writes the body.</summary>
    public void WriteTo(ref WireWriter writer) => writer.WriteVarint(Heard is { } probe ? probe + 1 : 0);

    /// <summary>Reads a body; false when it is malformed.</summary>
    public static bool TryRead(ReadOnlySpan<byte> body, out CarrierWordBody word)
    {
        var reader = new WireReader(body);
        ulong heard = reader.ReadVarint();
        word = new CarrierWordBody(heard == 0 ? null : heard - 1);
        return reader.IsAtEnd;
    }
}
