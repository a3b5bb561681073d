namespace QuickSilver.Protocol.Wire;

/// <summary>A token's position on its walk.</summary>
internal enum TokenPhase : byte
{
    /// <summary>Visits the members of a partition.</summary>
    Walk = 0,

    /// <summary>
    /// Is back at the member at which the partition's walk began: packets that all of them miss are requested from the
    /// senders.
    /// </summary>
    Close = 1,

    /// <summary>Is back at the region's leader: the round is over.</summary>
    Done = 2,
}
