using System.ComponentModel;

namespace QuickSilver.Transport;

/// <summary>Creates the transport that fits the settings and the machine.</summary>
internal static class TransportFactory
{
    /// <summary>
    /// Opens a node's sockets and probes their features. Blocks for up to half a second if multicast does not work. Any
    /// thread, before the core thread starts.
    /// </summary>
    /// <exception cref="TransportException">The configured interface, ports or multicast are unavailable.</exception>
    public static IHostTransport Start(TransportSettings settings, ITransportEvents events)
    {
        if (settings.Carrier == CarrierPreference.InProcess) return new InProcessTransport(settings);
        try
        {
            return OpenSockets(settings, events);
        }
        catch (Exception refusal) when (refusal is Win32Exception or IOException)
        {
            // Sockets and the poller throw the first kind, reading the list of interfaces the second.
            bool isLimit = NetworkList.IsForWantOfDescriptors(refusal);
            string hint = isLimit ? " Raise the process's limit (ulimit -n)." : "";
            string text = $"The system refuses what the transport needs: {refusal.Message}.{hint}";
            throw new TransportException(TransportFailure.InterfaceUnavailable, text, refusal) { MayPass = !isLimit };
        }
    }

    private static IHostTransport OpenSockets(TransportSettings settings, ITransportEvents events)
    {
        settings = settings with { Limits = settings.Limits ?? HostLimits.Read() };
        if (settings.Limits is { IsShortOfFiles: true, OpenFiles: { } files })
            events.OnFilesShort(files, HostLimits.NeededFiles);
        NetworkChoice network = NetworkChoice.Find(settings);
        bool multicast = ChooseMulticast(settings, network, out string reason);
        if (!multicast) events.OnMulticastUnavailable(reason);
        bool isFast = settings.FastPath && OperatingSystem.IsLinux();
        var choice = new TransportChoice(
            isFast ? "linux" : "portable", network.Name, network.Address, multicast, reason)
        {
            PrefixLength = network.PrefixLength,
        };
        return isFast
            ? new LinuxTransport(settings, network, events, choice)
            : new PortableTransport(settings, network, events, choice);
    }

    /// <summary>True when regions can use multicast over an interface. Blocks for up to half a second if they cannot.
    /// Any thread.</summary>
    /// <param name="settings">The settings of the transport.</param>
    /// <param name="network">The interface to probe.</param>
    /// <param name="reason">The finding, for diagnostics.</param>
    public static bool CanMulticast(TransportSettings settings, NetworkChoice network, out string reason)
    {
        reason = "unicast was asked for";
        if (settings.Carrier == CarrierPreference.Unicast) return false;
        // The kernel would return a probe to its own machine, although the interface lets none out.
        reason = $"the interface {network.Name} ({network.Address}) has no multicast";
        if (!network.HasMulticast) return false;
        reason = "net.ipv4.igmp_max_memberships is 0";
        if (!network.IsIPv6 && settings.Limits?.MembershipsPerSocket == 0) return false;
        return MulticastProbe.Run(settings, network, out reason);
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
