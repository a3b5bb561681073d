namespace QuickSilver.Transport;

/// <summary>The carriers that the regions of a node may use.</summary>
internal enum CarrierPreference : byte
{
    /// <summary>Multicast if the probe returns, otherwise unicast.</summary>
    Auto,

    /// <summary>Multicast; the start fails without it.</summary>
    Multicast,

    /// <summary>Unicast, with one copy for each member.</summary>
    Unicast,

    /// <summary>Memory, between the nodes of one process, without sockets.</summary>
    InProcess,
}
