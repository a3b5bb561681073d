namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A range of packets of a removed sender's stream that some member misses, half-open, in sequences of the stream.
/// </summary>
/// <param name="Start">First sequence.</param>
/// <param name="End">The sequence after the last.</param>
/// <param name="Holder">Index of a member that holds all of them; <see cref="Unknown"/>: none has reported so;
/// <see cref="Abandoned"/>: none does.</param>
/// <param name="IsWanted">True when a member visited in this round misses them.</param>
/// <param name="IsOld">True when the range was in the list as the round began: then every member visited has been asked
/// for it.</param>
internal readonly record struct OrphanRange(ulong Start, ulong End, int Holder, bool IsWanted, bool IsOld)
{
    /// <summary>No member has reported that it holds them.</summary>
    public const int Unknown = -1;

    /// <summary>No live member holds them, nor ever will: they count as received.</summary>
    public const int Abandoned = -2;

    internal bool IsLike(in OrphanRange other) =>
        Holder == other.Holder && IsWanted == other.IsWanted && IsOld == other.IsOld;
}
