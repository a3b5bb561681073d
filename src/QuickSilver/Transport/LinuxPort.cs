using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;

namespace QuickSilver.Transport;

/// <summary>A socket that a <see cref="LinuxPoller"/> watches.</summary>
internal sealed class LinuxPort(Socket socket, SocketRole role, IRegionChannel? channel) : SocketPort(socket, role, channel)
{
    /// <summary>The poller's number for it.</summary>
    public int Token;

    /// <summary>True from when the poller saw something to read until a read found nothing.</summary>
    public bool HasSeen;

    /// <inheritdoc/>
    public override bool IsReady => HasSeen;

    /// <inheritdoc/>
    public override bool IsEmpty => !HasSeen;
}
