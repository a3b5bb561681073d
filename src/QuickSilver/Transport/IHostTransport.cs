using QuickSilver.Protocol.Flow;

namespace QuickSilver.Transport;

/// <summary>
/// A node's sockets, whole: sends in trains, completes in reads, waits, and is closed by the core thread when the node stops. Core thread only but
/// for <see cref="IWaitableCompletionQueue.Wake"/>.
/// </summary>
internal interface IHostTransport : ITransport, IWaitableCompletionQueue, IDisposable
{
    /// <summary>What was chosen and why.</summary>
    TransportChoice Choice { get; }

    /// <summary>Counters since the start.</summary>
    TransportCounters Counters { get; }

    /// <summary>
    /// Datagrams that the kernel dropped for want of room in any of this node's receive buffers, since the start. A system call per socket.
    /// </summary>
    ulong ReadSocketDrops();
}
