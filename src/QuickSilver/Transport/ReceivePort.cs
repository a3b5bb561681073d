using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>One place where what comes in for a node waits to be read. Core thread only.</summary>
/// <param name="role">What it is for.</param>
/// <param name="channel">The channel whose reads it gives; null for unicast.</param>
internal abstract class ReceivePort(SocketRole role, IRegionChannel? channel)
{
    /// <summary>What it is for.</summary>
    public SocketRole Role { get; } = role;

    /// <summary>The channel whose reads it gives; null for unicast.</summary>
    public IRegionChannel? Channel { get; } = channel;

    /// <summary>
    /// True when the next time the port is found empty must be told: reads were handed out since it was told last, or control datagrams came in,
    /// which may name packets that this port should have had.
    /// </summary>
    public bool OwesDrained;

    /// <summary>True when there may be something to read.</summary>
    public abstract bool IsReady { get; }

    /// <summary>True when nothing waits here, as far as it was looked.</summary>
    public abstract bool IsEmpty { get; }
}
