namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>A change of the way in which two nodes reach each other's data.</summary>
internal enum CarrierChange : byte
{
    /// <summary>A member does not hear this node's multicast: it is sent copies by unicast.</summary>
    MemberToUnicast,

    /// <summary>A member hears this node's multicast again: copies have ended.</summary>
    MemberToMulticast,

    /// <summary>Copies by unicast do not reach the member either: they have ended.</summary>
    CopiesInVain,

    /// <summary>No multicast of a sender arrives here; the sender is informed.</summary>
    SenderUnheard,
}
