using System.Net.Sockets;

namespace QuickSilver.Transport;

/// <summary>
/// What the kernel grants of the features that the settings ask for; reports what it refuses. Core thread only, from
/// the first turn on.
/// </summary>
/// <param name="settings">The settings of the transport.</param>
/// <param name="events">Receives the refusals.</param>
internal sealed class KernelGrants(TransportSettings settings, ITransportEvents events)
{
    private bool _hasReportedCoalescing;

    /// <summary>True when trains may be cut into datagrams by the kernel, as a socket shows.</summary>
    public bool Segmentation(Socket socket)
    {
        if (!settings.Segmentation) return false;
        SocketError error = KernelOptions.SetSegment(socket, 0);
        if (error == SocketError.Success) return true;
        if (OperatingSystem.IsLinux()) events.OnSegmentationRefused("all", error.ToString());
        return false;
    }

    /// <summary>Requests coalescing on a socket, if it is wanted; reports the first refusal.</summary>
    public void Coalesce(Socket socket)
    {
        if (!settings.Coalescing || !OperatingSystem.IsLinux()) return;
        SocketError error = KernelOptions.SetCoalescing(socket);
        if (error == SocketError.Success || _hasReportedCoalescing) return;
        _hasReportedCoalescing = true;
        events.OnCoalescingRefused(error.ToString());
    }

    /// <summary>The receive buffer of a socket, in bytes; reports one that is smaller than requested.</summary>
    public int ReceiveBuffer(Socket socket)
    {
        int asked = settings.ReceiveBufferBytes;
        int granted = socket.ReceiveBufferSize;
        // Linux doubles the requested size for its own overhead, and returns the doubled figure.
        int comparable = OperatingSystem.IsLinux() ? granted / 2 : granted;
        if (comparable < asked)
        {
            string remedy = OperatingSystem.IsLinux() ? $"sysctl -w net.core.rmem_max={asked}" : "";
            events.OnReceiveBufferSmall(asked, comparable, remedy);
        }
        return granted;
    }
}
