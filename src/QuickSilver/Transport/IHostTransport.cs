using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>
/// The sockets of a node: sends trains, completes reads, and waits. The core thread disposes of it when the node stops.
/// Core thread only, except <see cref="IWaitableCompletionQueue.Wake"/>.
/// </summary>
internal interface IHostTransport : ITransport, IWaitableCompletionQueue, IDisposable
{
    /// <summary>The interface and carrier chosen at the start, and the reason.</summary>
    TransportChoice Choice { get; }

    /// <summary>
    /// Moves to another interface or address, with new ports there. Close all channels before the call; only the two
    /// unicast ports may be open. <see cref="ITransport.Facts"/> change.
    /// </summary>
    /// <param name="network">The new interface and address.</param>
    /// <param name="multicast">True when regions can use multicast there.</param>
    /// <param name="reason">The reason for that choice, for diagnostics.</param>
    /// <returns>False when the new ports are unavailable: nothing has changed.</returns>
    bool TryMove(NetworkChoice network, bool multicast, string reason) => false;

    /// <summary>The counters since the start.</summary>
    TransportCounters Counters { get; }

    /// <summary>
    /// Reads the number of datagrams that full receive buffers of this node have dropped since the start. Costs a
    /// system call for each socket.
    /// </summary>
    ulong ReadSocketDrops();
}
