using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>Sees the datagrams that nodes hand over and take in: for the invariants and the trace.</summary>
internal interface INetworkObserver
{
    /// <summary>A node has handed a datagram to its interface.</summary>
    /// <param name="node">Index of the node.</param>
    /// <param name="datagram">The bytes.</param>
    /// <param name="to">Where to; none when it goes to a region's address.</param>
    /// <param name="now">The simulation's time.</param>
    void OnSent(int node, ReadOnlySpan<byte> datagram, NetEndpoint to, Instant now);

    /// <summary>The datagram that a node has handed over last is a note of a packet that it lends.</summary>
    /// <param name="node">Index of the node.</param>
    /// <param name="packet">The packet, where it lies.</param>
    /// <param name="now">The simulation's time.</param>
    void OnLent(int node, ReadOnlySpan<byte> packet, Instant now)
    {
    }

    /// <summary>A node has read a datagram from one of its sockets.</summary>
    /// <param name="node">Index of the node.</param>
    /// <param name="datagram">The bytes.</param>
    /// <param name="damaged">True when they may not be those that were sent.</param>
    /// <param name="now">The simulation's time.</param>
    void OnRead(int node, ReadOnlySpan<byte> datagram, bool damaged, Instant now);
}
