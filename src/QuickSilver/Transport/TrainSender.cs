using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Sends trains on one socket: one system call a train if the kernel segments it (UDP_SEGMENT), otherwise one call a
/// datagram. The segment size is an option of the socket, and is set only when it changes.
/// <para>
/// Awkward cases: a kernel may refuse segmentation at any time (a device without checksum offload: EIO; a route with a
/// smaller MTU: EMSGSIZE; an old driver: EINVAL). The socket then sends one datagram a call for the rest of its life.
/// An error that single datagrams meet too (a device that is gone) is no refusal of segmentation. Datagrams longer than
/// the interface carries (EMSGSIZE: its MTU has shrunk) are dropped, as a router would drop them. Their receivers miss
/// them, measure the path and ask for shorter ones.
/// </para>
/// Core thread only. Allocates nothing on Linux; elsewhere an exception reports a full buffer of a socket that is not
/// connected.
/// </summary>
/// <param name="socket">A non-blocking socket; connected, unless each send has a destination.</param>
/// <param name="name">The name of the socket, for diagnostics.</param>
/// <param name="segments">False to send one datagram a call.</param>
/// <param name="counters">The counters of the transport.</param>
/// <param name="events">Receives the reports of refusals.</param>
internal sealed class TrainSender(
    Socket socket, string name, bool segments, TransportCounters counters, ITransportEvents events)
    : IDisposable
{
    // Valid for the life of the sender, because only it closes the socket.
    private readonly nint _descriptor = socket.SafeHandle.DangerousGetHandle();

    private bool _segments = segments;
    private int _segmentBytes;
    private SocketError _reported;

    // The progress of a train sent one datagram a call: after a full buffer, its first datagrams must not be sent
    // twice. It is known by its first header, as it is offered again from other memory, and its own memory is reused.
    private readonly byte[] _begun = new byte[DatagramHeader.Length];
    private (int Length, SocketAddress? To, int Done) _progress;

    /// <summary>The socket that sends.</summary>
    public Socket Socket => socket;

    /// <summary>The source of its datagrams.</summary>
    public IPEndPoint Source => (IPEndPoint)socket.LocalEndPoint!;

    /// <summary>Passes a train to the kernel.</summary>
    /// <param name="train">The train to send.</param>
    /// <param name="to">The destination; null for a connected socket.</param>
    public SendOutcome Send(in Train train, SocketAddress? to)
    {
        int count = train.Count;
        SocketError error = count == 1 ? SendAlone(train.Span, to)
            : _segments ? SendCut(train, to)
            : SendOneByOne(train, to);
        if (error == SocketError.Success)
        {
            counters.TrainsSent++;
            counters.DatagramsSent += (ulong)count;
            counters.BytesSent += (ulong)train.Length;
            return SendOutcome.Sent;
        }
        if (error is SocketError.WouldBlock or SocketError.NoBufferSpaceAvailable)
        {
            counters.SendsBusy++;
            return SendOutcome.Busy;
        }
        counters.SendErrors++;
        if (error != _reported) events.OnSendFailed(name, error.ToString());
        _reported = error;
        return SendOutcome.Failed;
    }

    /// <inheritdoc/>
    public void Dispose() => socket.Dispose();

    private static bool MayMeanNoCutting(SocketError error) =>
        error is SocketError.InvalidArgument or SocketError.MessageSize
        or SocketError.SocketError or SocketError.OperationNotSupported or SocketError.ProtocolOption;

    // The segment size of an earlier train is harmless unless the datagram is longer.
    private SocketError SendAlone(ReadOnlySpan<byte> datagram, SocketAddress? to)
    {
        if (_segmentBytes > 0 && _segmentBytes < datagram.Length) SetSegment(0);
        return SendOnce(datagram, to);
    }

    private SocketError SendCut(in Train train, SocketAddress? to)
    {
        SocketError error = _segmentBytes == train.SegmentBytes ? SocketError.Success : SetSegment(train.SegmentBytes);
        if (error == SocketError.Success) error = SendOnce(train.Span, to);
        if (!MayMeanNoCutting(error)) return error;
        SetSegment(0);
        SocketError uncut = SendOneByOne(train, to);
        if (uncut != SocketError.Success
            && uncut != SocketError.WouldBlock
            && uncut != SocketError.NoBufferSpaceAvailable)
            return uncut;
        _segments = false;
        counters.SegmentationFallbacks++;
        events.OnSegmentationRefused(name, error.ToString());
        return uncut;
    }

    private SocketError SendOneByOne(in Train train, SocketAddress? to)
    {
        ReadOnlySpan<byte> bytes = train.Span;
        ReadOnlySpan<byte> first = bytes[..Math.Min(_begun.Length, bytes.Length)];
        bool resumes = _progress.Length == bytes.Length && _progress.To == to && _begun.AsSpan().StartsWith(first);
        int done = resumes ? _progress.Done : 0;
        _progress = default;
        SocketError worst = SocketError.Success;
        while (done < bytes.Length)
        {
            int length = Math.Min(train.SegmentBytes, bytes.Length - done);
            SocketError error = SendOnce(bytes.Slice(done, length), to);
            if (error is SocketError.WouldBlock or SocketError.NoBufferSpaceAvailable)
            {
                first.CopyTo(_begun);
                _progress = (bytes.Length, to, done);
                return error;
            }
            if (error != SocketError.Success) worst = error;
            done += length;
        }
        return worst;
    }

    private SocketError SendOnce(ReadOnlySpan<byte> bytes, SocketAddress? to)
    {
        if (to is null)
        {
            socket.Send(bytes, SocketFlags.None, out SocketError error);
            return error;
        }
        if (OperatingSystem.IsLinux()) return LinuxNative.Send(_descriptor, bytes, to);
        try
        {
            socket.SendTo(bytes, SocketFlags.None, to);
            return SocketError.Success;
        }
        catch (SocketException refusal)
        {
            return refusal.SocketErrorCode;
        }
    }

    private SocketError SetSegment(int bytes)
    {
        SocketError error = KernelOptions.SetSegment(socket, bytes);
        if (error == SocketError.Success) _segmentBytes = bytes;
        return error;
    }
}
