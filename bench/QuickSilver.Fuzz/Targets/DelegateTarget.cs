namespace QuickSilver.Fuzz.Targets;

/// <summary>A decoder without a memory of its own.</summary>
/// <param name="name">Its word on the command line.</param>
/// <param name="valid">Real inputs.</param>
/// <param name="decode">Reads one.</param>
internal sealed class DelegateTarget(string name, byte[][] valid, DelegateTarget.Decoder decode) : FuzzTarget
{
    /// <summary>Reads an input, and all that was read from it; true when it was accepted.</summary>
    public delegate bool Decoder(Span<byte> input);

    /// <inheritdoc/>
    public override string Name => name;

    /// <inheritdoc/>
    public override byte[][] Valid => valid;

    /// <inheritdoc/>
    public override int MaxLength => Longest;

    /// <inheritdoc/>
    public override bool IsDatagram => Seals;

    /// <summary>The longest input.</summary>
    public int Longest { get; init; } = 2048;

    /// <summary>Whether inputs are datagrams.</summary>
    public bool Seals { get; init; }

    /// <summary>Bytes that may be allocated for each byte of the input: what a number or a name of one byte becomes in
    /// memory.</summary>
    public int PerByte { get; init; }

    /// <summary>Bytes that may be allocated for any input.</summary>
    public int Fixed { get; init; }

    /// <inheritdoc/>
    public override long Allowance(int length, bool isAccepted) => Fixed + ((long)PerByte * length);

    /// <inheritdoc/>
    public override bool Try(Span<byte> input) => decode(input);
}
