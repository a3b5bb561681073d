namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>What a member has of a packet that a lateral repair names.</summary>
internal enum PacketState
{
    /// <summary>It is here, and its bytes are kept.</summary>
    Kept,

    /// <summary>It is not here, and would be taken.</summary>
    Missing,

    /// <summary>It is released, or is none that this member would take.</summary>
    Gone,
}
