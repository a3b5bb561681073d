using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>One source of received datagrams of a node: a socket or an in-process inbox. Core thread only.</summary>
/// <param name="role">The kind of datagrams that it receives.</param>
/// <param name="channel">The channel of its reads; null for unicast.</param>
internal abstract class ReceivePort(SocketRole role, IRegionChannel? channel)
{
    /// <summary>The kind of datagrams that it receives.</summary>
    public SocketRole Role { get; } = role;

    /// <summary>The channel of its reads; null for unicast.</summary>
    public IRegionChannel? Channel { get; } = channel;

    /// <summary>
    /// True when the port must be reported once it is found empty. Since the last report, it gave reads, or control
    /// datagrams arrived, which may name packets that this port should have received.
    /// </summary>
    public bool OwesDrained;

    /// <summary>True when there may be datagrams to read.</summary>
    public abstract bool IsReady { get; }

    /// <summary>True when no datagram waits, as of the last check.</summary>
    public abstract bool IsEmpty { get; }
}
