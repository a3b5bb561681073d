namespace QuickSilver.Protocol.Core;

/// <summary>
/// States worth reaching: each is counted where the protocol reaches it, by <see cref="Probes.Hit"/>. An ensemble of simulated runs that never hits
/// a mark has not tested what the mark stands for.
/// </summary>
internal enum Mark : byte
{
    /// <summary>A packet that was missed came as a repair from a peer.</summary>
    RepairFromPeer,

    /// <summary>A packet that was missed came as a repair from its sender.</summary>
    RepairFromSender,

    /// <summary>A packet came that was received already.</summary>
    DuplicatePacket,
}
