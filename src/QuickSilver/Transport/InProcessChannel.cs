using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>One node's use of a group address of the in-process network.</summary>
internal sealed class InProcessChannel(NetEndpoint group) : IRegionChannel
{
    /// <summary>The group address.</summary>
    public NetEndpoint Group { get; } = group;

    /// <summary>The receiving port; null while no opener receives.</summary>
    public InProcessPort? Port;

    /// <summary>The number of openers.</summary>
    public int Opens;

    /// <summary>The number of openers that receive.</summary>
    public int Receivers;

    /// <summary>The drops of inboxes closed before.</summary>
    public ulong EarlierDrops;

    /// <inheritdoc/>
    public ulong Drops => EarlierDrops + (Port?.Inbox.Drops ?? 0);
}
