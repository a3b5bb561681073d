namespace QuickSilver.Protocol.Wire;

/// <summary>Where a token is on its walk.</summary>
public enum TokenPhase : byte
{
    /// <summary>Visits the members of a partition.</summary>
    Walk = 0,

    /// <summary>Is back at the member that the partition's walk began at: what all of them miss is asked from the senders.</summary>
    Close = 1,

    /// <summary>Is back at the region's leader: the round is over.</summary>
    Done = 2,
}
