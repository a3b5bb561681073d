using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Flow.Transports;

/// <summary>
/// The host's sockets, or the simulator's, as the protocol sees them. Sends never wait; receives come as
/// <see cref="QuickSilver.Protocol.Core.Completion"/>s. Core thread only.
/// </summary>
internal interface ITransport
{
    /// <summary>Facts that are fixed once the transport has started.</summary>
    TransportFacts Facts { get; }

    /// <summary>
    /// Memory that the nodes of one machine share in addition to their sockets; null where there is none.
    /// </summary>
    ISharedMemory? SharedMemory => null;

    /// <summary>
    /// Opens a multicast address. Opening the same address again returns the same, counted channel; it receives while
    /// any of its openers wants to.
    /// </summary>
    /// <param name="group">Address and port.</param>
    /// <param name="receive">True to join and receive; false to send only.</param>
    /// <returns>The channel, or null when the address cannot be opened (logged by the transport); the view is then
    /// repaired over unicast.</returns>
    IRegionChannel? Open(NetEndpoint group, bool receive);

    /// <summary>Undoes one <see cref="Open"/>.</summary>
    void Close(IRegionChannel channel, bool receive);

    /// <summary>Passes a train to the kernel. The bytes are copied before the call returns.</summary>
    SendOutcome Send(in Train train);
}
