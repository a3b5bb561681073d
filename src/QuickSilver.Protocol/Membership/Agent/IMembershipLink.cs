namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// A reliable, ordered channel to the membership server: TCP in production, a modelled link in the simulator. Core
/// thread only.
/// </summary>
internal interface IMembershipLink
{
    /// <summary>The instance of the electorate of the server at the other end; 0: none is known.</summary>
    ulong Electorate => 0;

    /// <summary>
    /// Queues one frame; the bytes are copied before the call returns. Frames sent without a connection are lost.
    /// </summary>
    void Send(ReadOnlySpan<byte> frame);
}
