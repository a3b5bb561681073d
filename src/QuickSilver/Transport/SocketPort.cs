using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>One socket that a node receives on; what waits, waits in the kernel. Core thread only.</summary>
/// <param name="socket">Non-blocking; belongs to the port.</param>
/// <param name="role">What it is for.</param>
/// <param name="channel">The channel whose reads it gives; null for unicast.</param>
internal abstract class SocketPort(Socket socket, SocketRole role, IRegionChannel? channel) : ReceivePort(role, channel), IDisposable
{
    /// <summary>The socket.</summary>
    public Socket Socket { get; } = socket;

    /// <summary>Datagrams the kernel dropped here for want of room.</summary>
    public ulong ReadDrops() => KernelOptions.ReadDrops(Socket);

    /// <summary>Closes the socket.</summary>
    public virtual void Dispose() => Socket.Dispose();
}
