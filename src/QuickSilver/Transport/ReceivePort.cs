using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;

namespace QuickSilver.Transport;

/// <summary>One socket that a node receives on. Core thread only.</summary>
/// <param name="socket">Non-blocking; belongs to the port.</param>
/// <param name="role">What it is for.</param>
/// <param name="channel">The channel whose reads it gives; null for unicast.</param>
internal abstract class ReceivePort(Socket socket, SocketRole role, IRegionChannel? channel) : IDisposable
{
    /// <summary>The socket.</summary>
    public Socket Socket { get; } = socket;

    /// <summary>What it is for.</summary>
    public SocketRole Role { get; } = role;

    /// <summary>The channel whose reads it gives; null for unicast.</summary>
    public IRegionChannel? Channel { get; } = channel;

    /// <summary>
    /// True when the next time the socket is found empty must be told: reads were handed out since it was told last, or control datagrams came in,
    /// which may name packets that this socket should have had.
    /// </summary>
    public bool OwesDrained;

    /// <summary>True when there may be something to read.</summary>
    public abstract bool IsReady { get; }

    /// <summary>True when the kernel holds nothing for this socket, as far as it was looked.</summary>
    public abstract bool IsEmpty { get; }

    /// <summary>Datagrams the kernel dropped here for want of room.</summary>
    public ulong ReadDrops() => KernelOptions.ReadDrops(Socket);

    /// <summary>Closes the socket.</summary>
    public virtual void Dispose() => Socket.Dispose();
}
