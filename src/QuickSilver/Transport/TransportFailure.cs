namespace QuickSilver.Transport;

/// <summary>Why a transport cannot start.</summary>
internal enum TransportFailure
{
    /// <summary>No such interface, or none that fits.</summary>
    InterfaceUnavailable,

    /// <summary>Every port of the range is taken.</summary>
    PortsExhausted,

    /// <summary>Multicast was demanded and the probe did not come back.</summary>
    MulticastUnavailable,
}
