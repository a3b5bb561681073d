namespace QuickSilver.Testing.Invariants;

/// <summary>How far one session of one receiver is with one sender.</summary>
internal struct ReceiverPlace
{
    /// <summary>Number of the first message delivered or reported lost; 0: none yet.</summary>
    public ulong First;

    /// <summary>Number that must come next; 0: any may begin.</summary>
    public ulong Next;

    /// <summary>The first message must not come later than this; 0: no limit. Set when the join returned.</summary>
    public ulong MustBeginBy;

    /// <summary>True after a loss of unknown extent: the next message may leave a gap.</summary>
    public bool MayJump;
}
