using QuickSilver.Protocol.Core;

namespace QuickSilver.Membership;

/// <summary>
/// What a <see cref="TcpMembershipLink"/> brings to its node, on the core thread: connected, frames, disconnected, and so on, always in this order.
/// </summary>
internal interface ILinkHandler
{
    /// <summary>The channel to a membership server is open.</summary>
    void OnMembershipConnected(Instant now);

    /// <summary>One frame, without its length; valid during the call.</summary>
    void OnMembershipFrame(ReadOnlySpan<byte> frame, Instant now);

    /// <summary>The channel is closed; what was sent and not answered may be lost.</summary>
    void OnMembershipDisconnected(Instant now);
}
