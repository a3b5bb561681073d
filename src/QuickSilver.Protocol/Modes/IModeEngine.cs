using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Modes;

/// <summary>
/// What gives the groups of one mode their promise: one engine a node and mode, made when the node's first group of the
/// mode begins. It takes messages from <see cref="ModeContext.Outlet"/> by a feed of its own, sends datagrams of the
/// mode's kinds, and delivers through <see cref="ModeSession"/>. Core thread only; the stack makes all calls.
/// </summary>
internal interface IModeEngine
{
    /// <summary>A session begins, as a member or as a publisher: its step is installed.</summary>
    void OnOpened(ModeSession session, Instant now);

    /// <summary>A session has ended: nothing may be delivered to it any more.</summary>
    void OnClosed(ModeSession session, Instant now);

    /// <summary>A step is installed, and its sessions have begun and ended.</summary>
    void OnStepInstalled(InstalledStep step, Instant now);

    /// <summary>Messages are taken in this step from now on.</summary>
    void OnStepActivated(StepNumber step, Instant now);

    /// <summary>Nodes are gone from the cluster; <see cref="NodeInfo.IsRemoved"/> is set.</summary>
    void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now);

    /// <summary>
    /// Takes a datagram of the mode's kinds. Header and checksum are good, and it comes from its sender, which is a
    /// live node of the cluster. Must not throw, and must check the body before it changes anything.
    /// </summary>
    /// <param name="header">Its header.</param>
    /// <param name="sender">Its sender.</param>
    /// <param name="body">What follows the header.</param>
    /// <param name="part">All its bytes in pooled memory, where they can be kept; empty when they must be
    /// copied.</param>
    /// <param name="arrival">Its source and socket.</param>
    /// <param name="now">The time of arrival.</param>
    /// <returns>The reason it was dropped, or <see cref="RejectReason.None"/>.</returns>
    RejectReason OnDatagram(
        in DatagramHeader header, NodeInfo sender, ReadOnlySpan<byte> body, in Slice part, in Arrival arrival,
        Instant now);

    /// <summary>Adds the members that hold this node up, before a heartbeat to the membership server.</summary>
    void Observe(NodeObservations observed, Instant now)
    {
    }

    /// <summary>Releases every buffer and alarm. Not called again.</summary>
    void Close();
}
