using System.ComponentModel;

namespace QuickSilver.Transport;

/// <summary>Makes the transport that fits the settings and the machine.</summary>
internal static class TransportFactory
{
    /// <summary>
    /// Opens a node's sockets and probes what they can do; takes up to half a second where multicast has to be found missing. Any thread, before the
    /// core thread starts.
    /// </summary>
    /// <exception cref="TransportException">The interface, the ports or the multicast that was asked for are not to be had.</exception>
    public static IHostTransport Start(TransportSettings settings, ITransportEvents events)
    {
        if (settings.Carrier == CarrierWish.InProcess) return new InProcessTransport(settings);
        try
        {
            return OpenSockets(settings, events);
        }
        catch (Exception refusal) when (refusal is Win32Exception or IOException)
        {
            // Of sockets and the poller the one, of looking for interfaces the other.
            string text = $"The system refuses what the transport needs: {refusal.Message}. Look at the process's limits first (ulimit -n).";
            throw new TransportException(TransportFailure.InterfaceUnavailable, text, refusal);
        }
    }

    private static IHostTransport OpenSockets(TransportSettings settings, ITransportEvents events)
    {
        NetworkChoice network = NetworkChoice.Find(settings);
        bool multicast = ChooseMulticast(settings, network, out string reason);
        if (!multicast) events.OnMulticastUnavailable(reason);
        bool isFast = settings.FastPath && OperatingSystem.IsLinux();
        var choice = new TransportChoice(isFast ? "linux" : "portable", network.Name, network.Address, multicast, reason);
        return isFast ? new LinuxTransport(settings, network, events, choice) : new PortableTransport(settings, network, events, choice);
    }

    private static bool ChooseMulticast(TransportSettings settings, NetworkChoice network, out string reason)
    {
        if (settings.Carrier == CarrierWish.Unicast)
        {
            reason = "unicast was asked for";
            return false;
        }
        if (MulticastProbe.Run(settings, network, out reason)) return true;
        if (settings.Carrier == CarrierWish.Auto) return false;
        throw new TransportException(
            TransportFailure.MulticastUnavailable,
            $"Multicast was asked for, but {reason}. Use TransportKind.Auto or Unicast, "
            + "or mend the network: a group's datagrams must come back over this interface.");
    }
}
