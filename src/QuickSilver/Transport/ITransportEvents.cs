using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Receives the events of a transport, for diagnostics. Called on the starting thread, then on the core thread:
/// implementations must not block. Calls are rare, and never made for single packets.
/// </summary>
internal interface ITransportEvents
{
    /// <summary>Reports that the kernel granted a smaller receive buffer than requested; once for each
    /// transport.</summary>
    /// <param name="askedBytes">The requested size, in bytes.</param>
    /// <param name="grantedBytes">The granted size, in the same unit as the request.</param>
    /// <param name="remedy">The command that raises the limit; empty if none is known.</param>
    void OnReceiveBufferSmall(int askedBytes, int grantedBytes, string remedy);

    /// <summary>Reports that the process may open fewer files than a node may need; once for each transport.</summary>
    /// <param name="allowed">How many it may open.</param>
    /// <param name="needed">How many a node may need.</param>
    void OnFilesShort(long allowed, int needed);

    /// <summary>Reports that the kernel refused to segment trains of a socket, which sends one datagram a call from now
    /// on.</summary>
    void OnSegmentationRefused(string socket, string error);

    /// <summary>Reports that the kernel does not coalesce reads: each call reads one datagram.</summary>
    void OnCoalescingRefused(string error);

    /// <summary>Reports that the system refuses shared memory: packets use sockets.</summary>
    void OnSharedMemoryRefused(string reason);

    /// <summary>Reports that the kernel refused to send, for a reason other than a full buffer; once for each run of
    /// the same error on a socket.</summary>
    void OnSendFailed(string socket, string error);

    /// <summary>Reports that regions use unicast, because the start-up probe did not return or multicast is not
    /// configured.</summary>
    void OnMulticastUnavailable(string reason);

    /// <summary>Reports that a socket for a region's multicast address could not be opened.</summary>
    void OnOpenFailed(NetEndpoint group, string error);
}
