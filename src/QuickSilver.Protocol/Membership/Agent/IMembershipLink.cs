namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// A reliable, ordered channel to the membership server: TCP in production, a modelled link in the simulator. Core
/// thread only.
/// </summary>
internal interface IMembershipLink
{
    /// <summary>
    /// Queues one frame; the bytes are copied before the call returns. Frames sent without a connection are lost.
    /// </summary>
    void Send(ReadOnlySpan<byte> frame);
}
