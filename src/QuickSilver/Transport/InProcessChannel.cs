using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>A group address of the in-process network, as one node uses it.</summary>
internal sealed class InProcessChannel(NetEndpoint group) : IRegionChannel
{
    /// <summary>The address.</summary>
    public NetEndpoint Group { get; } = group;

    /// <summary>Receives; null while nobody wants to.</summary>
    public InProcessPort? Port;

    /// <summary>How often the channel is open.</summary>
    public int Opens;

    /// <summary>How many of the openers receive.</summary>
    public int Receivers;

    /// <summary>Drops of inboxes already closed.</summary>
    public ulong EarlierDrops;

    /// <inheritdoc/>
    public ulong Drops => EarlierDrops + (Port?.Inbox.Drops ?? 0);
}
