namespace QuickSilver.Protocol.Wire;

/// <summary>How often remote input was dropped, by reason. Core thread only; allocates nothing after
/// construction.</summary>
internal sealed class RejectCounters
{
    private static readonly int Reasons = Enum.GetValues<RejectReason>().Length;
    private readonly ulong[] _counts = new ulong[Reasons];

    /// <summary>All drops, of every reason.</summary>
    public ulong Total { get; private set; }

    /// <summary>Drops for one reason.</summary>
    public ulong this[RejectReason reason] => _counts[(int)reason];

    /// <summary>Counts one drop.</summary>
    public void Count(RejectReason reason)
    {
        if (reason == RejectReason.None) return;
        _counts[(int)reason]++;
        Total++;
    }
}
