using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// What a transport has to tell people. Called on the thread that starts it, then on the core thread: implementations must not wait. Each is called
/// rarely; none for single packets.
/// </summary>
internal interface ITransportEvents
{
    /// <summary>The kernel granted less receive buffer than asked; once a transport.</summary>
    /// <param name="askedBytes">What was asked.</param>
    /// <param name="grantedBytes">What was granted, counted as asked.</param>
    /// <param name="remedy">The command that lifts the limit; empty where none is known.</param>
    void OnReceiveBufferSmall(int askedBytes, int grantedBytes, string remedy);

    /// <summary>The kernel refused to cut trains on a socket, at run time or at the start: it sends one datagram a call from now on.</summary>
    void OnSegmentationRefused(string socket, string error);

    /// <summary>The kernel does not give reads back as trains: one datagram a call.</summary>
    void OnCoalescingRefused(string error);

    /// <summary>The system gives no memory that processes share: packets go by sockets.</summary>
    void OnSharedMemoryRefused(string reason);

    /// <summary>The start-up probe did not come back, or multicast was not wanted: regions are carried by unicast.</summary>
    void OnMulticastUnavailable(string reason);

    /// <summary>A region's multicast address could not be opened.</summary>
    void OnOpenFailed(NetEndpoint group, string error);
}
