namespace QuickSilver.Protocol.Dissemination.Carriers;

/// <summary>What has changed in how two nodes reach each other's data.</summary>
public enum CarrierChange : byte
{
    /// <summary>A member does not hear this node's multicast: it is sent copies by unicast.</summary>
    MemberToUnicast,

    /// <summary>A member hears this node's multicast again: copies have ended.</summary>
    MemberToMulticast,

    /// <summary>Copies by unicast do not reach the member either: they have ended.</summary>
    CopiesInVain,

    /// <summary>Nothing that a sender multicasts arrives here: the sender is told.</summary>
    SenderUnheard,
}
