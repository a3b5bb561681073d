using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>
/// A node's sockets, whole: sends in trains, completes in reads, waits, and is closed by the core thread when the node stops. Core thread only but
/// for <see cref="IWaitableCompletionQueue.Wake"/>.
/// </summary>
internal interface IHostTransport : ITransport, IWaitableCompletionQueue, IDisposable
{
    /// <summary>What was chosen and why.</summary>
    TransportChoice Choice { get; }

    /// <summary>
    /// Speaks over another interface, or by another address, from now on, on ports of its own there. Before: everything is closed but the two ports
    /// for unicast. <see cref="ITransport.Facts"/> are others afterwards.
    /// </summary>
    /// <param name="network">The interface.</param>
    /// <param name="multicast">Whether regions can be carried by multicast there.</param>
    /// <param name="reason">Why they are carried so.</param>
    /// <returns>False when that is not to be had: all is as it was.</returns>
    bool TryMove(NetworkChoice network, bool multicast, string reason) => false;

    /// <summary>Counters since the start.</summary>
    TransportCounters Counters { get; }

    /// <summary>
    /// Datagrams that the kernel dropped for want of room in any of this node's receive buffers, since the start. A system call per socket.
    /// </summary>
    ulong ReadSocketDrops();
}
