using QuickSilver.Protocol.Core;

namespace QuickSilver.Membership;

/// <summary>
/// Receives the input of a <see cref="TcpMembershipLink"/>, on the core thread: connected, frames, disconnected, always
/// in this order, and again from the start.
/// </summary>
internal interface ILinkHandler
{
    /// <summary>Handles the opening of the channel to a membership server.</summary>
    void OnMembershipConnected(Instant now);

    /// <summary>Handles one frame, without its length; the memory is valid during the call.</summary>
    void OnMembershipFrame(ReadOnlySpan<byte> frame, Instant now);

    /// <summary>Handles the end of the channel; unanswered frames may be lost.</summary>
    void OnMembershipDisconnected(Instant now);
}
