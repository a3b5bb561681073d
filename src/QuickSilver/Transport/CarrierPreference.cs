namespace QuickSilver.Transport;

/// <summary>How the regions of a node may be carried.</summary>
internal enum CarrierPreference : byte
{
    /// <summary>By multicast if the probe comes back, else by unicast.</summary>
    Auto,

    /// <summary>By multicast, or not at all.</summary>
    Multicast,

    /// <summary>By unicast, one copy a member.</summary>
    Unicast,

    /// <summary>Between the nodes of one process, without sockets.</summary>
    InProcess,
}
