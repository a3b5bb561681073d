using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Transport;

/// <summary>
/// Sends trains by one socket: one system call a train where the kernel cuts it (UDP_SEGMENT), else one call a datagram. The segment size is an
/// option of the socket and is set only when it changes. A kernel may refuse to cut at any time (a device without checksum offload: EIO; a route with
/// a smaller MTU: EMSGSIZE; an old driver: EINVAL), even after it has long worked: then this socket sends one datagram a call for the rest of its
/// life. What datagrams by themselves are refused for too (a device that is gone) says nothing of cutting. Core thread only; allocates nothing but
/// where a full buffer is reported by an exception (unconnected sockets).
/// </summary>
/// <param name="socket">Non-blocking; connected, unless destinations are given.</param>
/// <param name="name">For people.</param>
/// <param name="segments">False: never ask the kernel to cut.</param>
/// <param name="counters">The transport's.</param>
/// <param name="events">Told once of a refusal.</param>
internal sealed class TrainSender(Socket socket, string name, bool segments, TransportCounters counters, ITransportEvents events) : IDisposable
{
    private bool _segments = segments;
    private int _segmentBytes;

    // How far a train has got that is sent one datagram a call: a full buffer in its middle must not send its head twice.
    private (ReadOnlyMemory<byte> Train, SocketAddress? To, int Done) _progress;

    /// <summary>The socket.</summary>
    public Socket Socket => socket;

    /// <summary>Where its datagrams come from.</summary>
    public IPEndPoint Source => (IPEndPoint)socket.LocalEndPoint!;

    /// <summary>Hands a train to the kernel.</summary>
    /// <param name="train">The train.</param>
    /// <param name="to">Where to; null for a connected socket.</param>
    public SendOutcome Send(in Train train, SocketAddress? to)
    {
        int count = train.Count;
        SocketError error = count == 1 ? SendAlone(train.Span, to) : _segments ? SendCut(train, to) : SendOneByOne(train, to);
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
        return SendOutcome.Failed;
    }

    /// <inheritdoc/>
    public void Dispose() => socket.Dispose();

    private static bool MayMeanNoCutting(SocketError error) => error is SocketError.InvalidArgument or SocketError.MessageSize
        or SocketError.SocketError or SocketError.OperationNotSupported or SocketError.ProtocolOption;

    // A segment size left over from a train does no harm unless the datagram is longer.
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
        if (uncut != SocketError.Success && uncut != SocketError.WouldBlock && uncut != SocketError.NoBufferSpaceAvailable) return uncut;
        _segments = false;
        counters.SegmentationFallbacks++;
        events.OnSegmentationRefused(name, error.ToString());
        return uncut;
    }

    private SocketError SendOneByOne(in Train train, SocketAddress? to)
    {
        bool resumes = _progress.Train.Equals(train.Bytes) && _progress.To == to;
        int done = resumes ? _progress.Done : 0;
        _progress = default;
        ReadOnlySpan<byte> bytes = train.Span;
        SocketError worst = SocketError.Success;
        while (done < bytes.Length)
        {
            int length = Math.Min(train.SegmentBytes, bytes.Length - done);
            SocketError error = SendOnce(bytes.Slice(done, length), to);
            if (error is SocketError.WouldBlock or SocketError.NoBufferSpaceAvailable)
            {
                _progress = (train.Bytes, to, done);
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
