using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Raw;

/// <summary>
/// The other half of <see cref="RawSender"/>: reads datagrams, or whole trains where the kernel gives them back, counts
/// them and tells how far it is. One thread.
/// </summary>
internal sealed class RawReceiver : IDisposable
{
    private const int ReadBytes = 64 << 10;
    private const int PollMicros = 20_000;

    private readonly Socket _socket;
    private readonly Socket _feedback;
    private readonly byte[] _buffer = new byte[ReadBytes];
    private readonly byte[] _feedbackBuffer = new byte[RawSender.FeedbackBytes];
    private readonly TrafficSink _sink;
    private readonly int _size;
    private readonly int _feedbackEvery;
    private long _told;

    /// <summary>Joins the group.</summary>
    /// <param name="group">Address and port of the group.</param>
    /// <param name="by">Address of the interface to receive by.</param>
    /// <param name="feedback">Where the sender listens for feedback.</param>
    /// <param name="number">Of this receiver, from 0.</param>
    /// <param name="shape">How messages are laid out.</param>
    /// <param name="sink">Counts.</param>
    public RawReceiver(
        IPEndPoint group, IPAddress by, IPEndPoint feedback, int number, RawShape shape, TrafficSink sink)
    {
        _socket = RawSockets.OpenReceiver(group, by, coalesces: shape.TrainLength > 1);
        _feedback = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp) { Blocking = false };
        _feedback.Connect(feedback);
        _sink = sink;
        _size = shape.Size;
        _feedbackEvery = shape.FeedbackEvery;
        BinaryPrimitives.WriteInt32LittleEndian(_feedbackBuffer, number);
    }

    /// <summary>Receives until <paramref name="isOver"/> says so; it is asked whenever nothing is there to
    /// read.</summary>
    public void Run(Func<bool> isOver)
    {
        while (true)
        {
            int length = _socket.Receive(_buffer, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success)
            {
                Walk(_buffer.AsSpan(0, length));
                continue;
            }
            if (error != SocketError.WouldBlock) throw new SocketException((int)error);
            if (isOver()) return;
            _socket.Poll(PollMicros, SelectMode.SelectRead);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _socket.Dispose();
        _feedback.Dispose();
    }

    private void Walk(ReadOnlySpan<byte> read)
    {
        while (!read.IsEmpty)
        {
            int length = Math.Min(_size, read.Length);
            _sink.Receive(read[..length]);
            read = read[length..];
        }
        long last = _sink.LastOf(0);
        if (last / _feedbackEvery == _told / _feedbackEvery) return;
        _told = last;
        BinaryPrimitives.WriteInt64LittleEndian(_feedbackBuffer.AsSpan(4), last);
        _feedback.Send(_feedbackBuffer, SocketFlags.None, out _);
    }
}
