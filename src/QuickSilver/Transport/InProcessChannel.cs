using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>A group address of the in-process network, as one node uses it.</summary>
internal sealed class InProcessChannel(NetEndpoint group) : IRegionChannel
{
    /// <summary>The address.</summary>
    public NetEndpoint Group { get; } = group;

    /// <summary>Receives; null while nobody wants to.</summary>
    public InProcessInbox? Inbox;

    /// <summary>How often the channel is open.</summary>
    public int Opens;

    /// <summary>How many of the openers receive.</summary>
    public int Receivers;

    /// <summary>True when reads were handed out, or control reads arrived, since the inbox was last reported empty.</summary>
    public bool OwesDrained;

    /// <summary>Drops of inboxes already closed.</summary>
    public ulong EarlierDrops;

    /// <inheritdoc/>
    public ulong Drops => EarlierDrops + (Inbox?.Drops ?? 0);
}
