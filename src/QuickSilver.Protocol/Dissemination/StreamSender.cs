using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>This node's stream into one region view. Core thread only.</summary>
public sealed class StreamSender : IFeed
{
    internal StreamSender(RegionView view) => View = view;

    /// <summary>The view it sends to.</summary>
    public RegionView View { get; }

    /// <summary>Sequence of the packet sent last; 0 before the first.</summary>
    public ulong Highest => throw new NotSupportedException();

    /// <summary>Every live member is known to hold all packets up to here.</summary>
    public ulong Stable => throw new NotSupportedException();

    /// <summary>True while half of the window is used, or a limit holds packets back: the region's leader should start a round at once. Goes as a flag on packets, too.</summary>
    public bool FeedbackWanted => throw new NotSupportedException();

    /// <summary>A packet that is not yet stable, for serving a peer's pull when this node is a member: valid during the call, retained by who wants it longer.</summary>
    public bool TryGetPacket(ulong sequence, out Slice datagram) => throw new NotSupportedException();

    /// <inheritdoc/>
    public bool TryPull(Instant now, out Train train) => throw new NotSupportedException();
}
