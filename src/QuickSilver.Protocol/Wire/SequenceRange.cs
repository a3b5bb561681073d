namespace QuickSilver.Protocol.Wire;

/// <summary>A range of sequence numbers, half-open: <see cref="Start"/> is in it, <see cref="End"/> is not.</summary>
/// <param name="Start">First number of the range.</param>
/// <param name="End">The number after the last of the range; never below <see cref="Start"/>.</param>
internal readonly record struct SequenceRange(ulong Start, ulong End)
{
    /// <summary>How many numbers are in the range.</summary>
    public ulong Count => End - Start;

    /// <summary>True when the range has no numbers.</summary>
    public bool IsEmpty => End <= Start;

    /// <summary>True when <paramref name="sequence"/> is in the range.</summary>
    public bool Contains(ulong sequence) => sequence >= Start && sequence < End;

    /// <inheritdoc/>
    public override string ToString() => $"[{Start},{End})";
}
