namespace QuickSilver.Protocol.Wire;

/// <summary>A member of a region view that is behind, as a round found it.</summary>
/// <param name="Member">Its index in the view.</param>
/// <param name="Cause">The reason.</param>
/// <param name="Packets">In the stream that it holds up most, the packets above its contiguous sequence, at most; 0:
/// none that is old.</param>
/// <param name="Milliseconds">How long the token waited for it in the round before, while it stood still; 0: not longer
/// than usual.</param>
internal readonly record struct LagEntry(int Member, LagCause Cause, ulong Packets, uint Milliseconds = 0)
{
    /// <summary>True when this entry is graver: more packets held up, or as many with a higher cause.</summary>
    public bool IsWorseThan(in LagEntry other) =>
        Packets != other.Packets ? Packets > other.Packets : Cause > other.Cause;

    /// <summary>Combines two entries on the same member.</summary>
    internal LagEntry With(in LagEntry other) => new(
        Member,
        Cause > other.Cause ? Cause : other.Cause,
        Math.Max(Packets, other.Packets),
        Math.Max(Milliseconds, other.Milliseconds));
}
