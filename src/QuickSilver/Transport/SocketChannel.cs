using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>A multicast address over sockets: one to receive, if anyone here does, and one to send, made at the first send.</summary>
internal sealed class SocketChannel(NetEndpoint group) : IRegionChannel
{
    /// <summary>The address.</summary>
    public NetEndpoint Group { get; } = group;

    /// <summary>Receives; null while nobody here wants to.</summary>
    public SocketPort? Port;

    /// <summary>False while <see cref="Port"/> refuses what comes from the node's own address.</summary>
    public bool HearsOwnSource;

    /// <summary>Sends; null before the first send.</summary>
    public TrainSender? Sender;

    /// <summary>True while a sender could not be made.</summary>
    public bool CannotSend;

    /// <summary>When to try again to make one, by <see cref="Environment.TickCount64"/>.</summary>
    public long TrySendAt;

    /// <summary>How often the channel is open.</summary>
    public int Opens;

    /// <summary>How many of the openers receive.</summary>
    public int Receivers;

    /// <summary>Drops of receivers already closed.</summary>
    public ulong EarlierDrops;

    /// <inheritdoc/>
    public ulong Drops => EarlierDrops + (Port?.ReadDrops() ?? 0);
}
