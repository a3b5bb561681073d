using System.Net;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>One node's use of a multicast address: a receiving socket if an opener receives, and a sender, found at the
/// first send: a socket of its own, or the one that is shared.</summary>
internal sealed class SocketChannel(NetEndpoint group) : IRegionChannel
{
    /// <summary>The group address.</summary>
    public NetEndpoint Group { get; } = group;

    /// <summary>The receiving port; null while no opener receives.</summary>
    public SocketPort? Port;

    /// <summary>False while <see cref="Port"/> blocks the node's own source address.</summary>
    public bool HearsOwnSource;

    /// <summary>The sender; null before the first send.</summary>
    public TrainSender? Sender;

    /// <summary>The destination for a shared sender; null for a sender of its own.</summary>
    public SocketAddress? To;

    /// <summary>True after a failure to create a sender.</summary>
    public bool CannotSend;

    /// <summary>The time of the next attempt to create one, by <see cref="Environment.TickCount64"/>.</summary>
    public long TrySendAt;

    /// <summary>The number of openers.</summary>
    public int Opens;

    /// <summary>The number of openers that receive.</summary>
    public int Receivers;

    /// <summary>The drops of receivers closed before.</summary>
    public ulong EarlierDrops;

    /// <inheritdoc/>
    public ulong Drops => EarlierDrops + (Port?.ReadDrops() ?? 0);
}
