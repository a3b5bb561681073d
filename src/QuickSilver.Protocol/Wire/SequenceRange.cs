namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A run of sequence numbers, half-open: <see cref="Start"/> is in it, <see cref="End"/> is not.
/// </summary>
/// <param name="Start">First number of the run.</param>
/// <param name="End">The number after the last of the run; never below <see cref="Start"/>.</param>
public readonly record struct SequenceRange(ulong Start, ulong End)
{
    /// <summary>How many numbers the run holds.</summary>
    public ulong Count => End - Start;

    /// <summary>True when the run holds nothing.</summary>
    public bool IsEmpty => End <= Start;

    /// <summary>True when <paramref name="sequence"/> is in the run.</summary>
    public bool Contains(ulong sequence) => sequence >= Start && sequence < End;

    /// <inheritdoc/>
    public override string ToString() => $"[{Start},{End})";
}
