using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Core;

/// <summary>
/// One finished read of a socket: a buffer that holds one datagram, or a train of them that the kernel returned in one
/// piece. Also the report that a socket was found empty (<see cref="Length"/> 0).
/// </summary>
/// <param name="Role">The socket's role.</param>
/// <param name="Priority">Class of the first datagram, by its header's kind: completions are sorted by it.</param>
/// <param name="Channel">The region socket the read came from; null for unicast sockets.</param>
/// <param name="Buffer">Holds the bytes; owned by the completion queue again when the handler returns, unless the
/// handler has exchanged it.</param>
/// <param name="Offset">Where the bytes begin.</param>
/// <param name="Length">Number of bytes; 0 means "this socket was found empty".</param>
internal readonly record struct Completion(
    SocketRole Role, PriorityClass Priority, object? Channel, byte[] Buffer, int Offset, int Length)
{
    /// <summary>
    /// The number of the batch of reads that this completion came with; set by the loop. A completion left over from an
    /// earlier batch may be handled after one of a higher class from a later batch. By this number the handler knows
    /// that an earlier report of an empty socket does not cover later reads.
    /// </summary>
    public ulong Take { get; init; }

    /// <summary>
    /// The address and port that all datagrams of the read came from, as the transport knows it, not as they claim.
    /// </summary>
    public NetEndpoint Source { get; init; }

    /// <summary>How many datagrams the read holds, where the queue knows; 0 where it does not.</summary>
    public int Datagrams { get; init; }

    /// <summary>The bytes of the read.</summary>
    public ReadOnlySpan<byte> Span => Buffer.AsSpan(Offset, Length);

    /// <summary>The bytes of the read, for the handler to open what is sealed.</summary>
    public Span<byte> Writable => Buffer.AsSpan(Offset, Length);

    /// <summary>True when this reports that the socket was found empty rather than carrying a read.</summary>
    public bool IsDrained => Length == 0;
}
