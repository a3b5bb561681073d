using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Transports;

/// <summary>
/// The host's sockets, or the simulator's, as the protocol sees them. Sends never wait; receives come as
/// <see cref="QuickSilver.Protocol.Core.Completion"/>s. Core thread only.
/// </summary>
public interface ITransport
{
    /// <summary>What is fixed once the transport has started.</summary>
    TransportFacts Facts { get; }

    /// <summary>What the nodes of one machine share beside their sockets; null where nothing is.</summary>
    ISharedMemory? SharedMemory => null;

    /// <summary>
    /// Opens a multicast address. The same address opened twice is one channel, counted; it receives when any of its openers wants to.
    /// </summary>
    /// <param name="group">Address and port.</param>
    /// <param name="receive">True to join and receive; false to send only.</param>
    /// <returns>The channel, or null when the address cannot be opened (logged by the transport); the view is then repaired over unicast.</returns>
    IRegionChannel? Open(NetEndpoint group, bool receive);

    /// <summary>Undoes one <see cref="Open"/>.</summary>
    void Close(IRegionChannel channel, bool receive);

    /// <summary>Hands a train to the kernel. The bytes are copied before the call returns.</summary>
    SendOutcome Send(in Train train);
}
