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
        if (settings.Carrier == CarrierPreference.InProcess) return new InProcessTransport(settings);
        try
        {
            return OpenSockets(settings, events);
        }
        catch (Exception refusal) when (refusal is Win32Exception or IOException)
        {
            // Of sockets and the poller the one, of looking for interfaces the other.
            bool isLimit = NetworkList.IsForWantOfDescriptors(refusal);
            string hint = isLimit ? " Raise the process's limit (ulimit -n)." : "";
            string text = $"The system refuses what the transport needs: {refusal.Message}.{hint}";
            throw new TransportException(TransportFailure.InterfaceUnavailable, text, refusal) { MayPass = !isLimit };
        }
    }

    private static IHostTransport OpenSockets(TransportSettings settings, ITransportEvents events)
    {
        NetworkChoice network = NetworkChoice.Find(settings);
        bool multicast = ChooseMulticast(settings, network, out string reason);
        if (!multicast) events.OnMulticastUnavailable(reason);
        bool isFast = settings.FastPath && OperatingSystem.IsLinux();
        var choice = new TransportChoice(isFast ? "linux" : "portable", network.Name, network.Address, multicast, reason)
        {
            PrefixLength = network.PrefixLength,
        };
        return isFast ? new LinuxTransport(settings, network, events, choice) : new PortableTransport(settings, network, events, choice);
    }

    /// <summary>Whether regions can be carried by multicast over an interface; up to half a second where they cannot. Any thread.</summary>
    /// <param name="settings">The transport's.</param>
    /// <param name="network">The interface.</param>
    /// <param name="reason">What was found, for people.</param>
    public static bool CanMulticast(TransportSettings settings, NetworkChoice network, out string reason)
    {
        reason = "unicast was asked for";
        return settings.Carrier != CarrierPreference.Unicast && MulticastProbe.Run(settings, network, out reason);
    }

    private static bool ChooseMulticast(TransportSettings settings, NetworkChoice network, out string reason)
    {
        if (CanMulticast(settings, network, out reason)) return true;
        if (settings.Carrier is CarrierPreference.Auto or CarrierPreference.Unicast) return false;
        throw new TransportException(
            TransportFailure.MulticastUnavailable,
            $"Multicast was asked for, but {reason}. Use TransportKind.Auto or Unicast, "
            + "or mend the network: a group's datagrams must come back over this interface.");
    }
}
