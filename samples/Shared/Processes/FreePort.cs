using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Samples.Processes;

/// <summary>Finds local TCP ports, so that clusters that run at the same time do not meet.</summary>
internal static class FreePort
{
    /// <summary>A port that nobody listened on a moment ago.</summary>
    public static int Find()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
