using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>One socket that a node receives on; waiting datagrams stay in the kernel. Core thread only.</summary>
/// <param name="socket">A non-blocking socket; the port disposes of it.</param>
/// <param name="role">The kind of datagrams that it receives.</param>
/// <param name="channel">The channel of its reads; null for unicast.</param>
internal abstract class SocketPort(Socket socket, SocketRole role, IRegionChannel? channel)
    : ReceivePort(role, channel), IDisposable
{
    /// <summary>The socket that the port reads.</summary>
    public Socket Socket { get; } = socket;

    /// <summary>Reads the number of datagrams that its full receive buffer dropped. Costs a system call.</summary>
    public ulong ReadDrops() => KernelOptions.ReadDrops(Socket);

    /// <summary>Closes the socket.</summary>
    public virtual void Dispose() => Socket.Dispose();
}
