namespace QuickSilver.Transport;

/// <summary>The resource that a transport lacks to start.</summary>
internal enum TransportFailure
{
    /// <summary>The interface is absent, or none is suitable.</summary>
    InterfaceUnavailable,

    /// <summary>Every port of the range is in use.</summary>
    PortsExhausted,

    /// <summary>Multicast is required, and the probe did not return.</summary>
    MulticastUnavailable,
}
