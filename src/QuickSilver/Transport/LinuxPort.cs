using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>
/// A socket that a <see cref="LinuxPoller"/> polls.
/// <para>
/// Idea: when datagrams arrive one at a time, a second read that finds the socket empty is a wasted system call. The
/// next poll reports the same. After a few reads of one datagram each, the port is therefore left after its first read.
/// It counts as empty only when a later poll has not marked it. Now and then the port is read until it is empty. If
/// that gives more than one datagram, a stream is arriving, and the port is read until empty every time.
/// </para>
/// </summary>
/// <param name="socket">A non-blocking socket; the port disposes of it.</param>
/// <param name="role">The kind of datagrams that it receives.</param>
/// <param name="channel">The channel of its reads; null for unicast.</param>
/// <param name="poller">The poller of the socket.</param>
internal sealed class LinuxPort(Socket socket, SocketRole role, IRegionChannel? channel, LinuxPoller poller)
    : SocketPort(socket, role, channel)
{
    private const int LoneReadsToTrust = 4;
    private const int LoneReadsToTest = 16;

    private int _loneReads;
    private ulong _leftAt;

    /// <summary>The socket's descriptor; valid for the life of the port, because only the port closes it.</summary>
    public nint Descriptor { get; } = socket.SafeHandle.DangerousGetHandle();

    /// <summary>The poller's number for the port.</summary>
    public int Token;

    /// <summary>True from a poll that found something to read until the port is read.</summary>
    public bool HasSeen;

    /// <summary>True while datagrams stream in alone: the kernel does not join them into trains.</summary>
    public bool HasLone;

    /// <inheritdoc/>
    public override bool IsReady => HasSeen;

    /// <inheritdoc/>
    public override bool IsEmpty => !HasSeen && _leftAt < poller.Polls;

    /// <summary>True when the datagram just read is presumed to be the only one. A control port is always read until
    /// empty.</summary>
    public bool ExpectsNoMore =>
        _loneReads >= LoneReadsToTrust && _loneReads < LoneReadsToTest && Role != SocketRole.Control;

    /// <summary>Leaves the port after one read, without a check for more.</summary>
    public void LeaveUnsure()
    {
        _loneReads++;
        _leftAt = poller.Polls;
        HasSeen = false;
    }

    /// <summary>Notes that the port has been read until empty.</summary>
    /// <param name="datagrams">The number of reads, each a datagram or a train.</param>
    public void OnEmptied(int datagrams)
    {
        _loneReads = datagrams > 1 ? 0 : Math.Min(_loneReads + 1, LoneReadsToTrust);
        HasSeen = false;
    }
}
