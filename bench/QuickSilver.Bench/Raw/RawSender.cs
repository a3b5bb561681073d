using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Raw;

/// <summary>
/// The least that a C# program can do to multicast messages without overrunning its receivers: a window
/// (<see cref="RawShape"/>) ahead of the slowest receiver, whose feedback comes three times in it. No
/// repair: what is lost is lost, and if the feedback itself stops for a tenth of a second the window is taken as free,
/// so a lost tail does not end the run. One thread.
/// </summary>
internal sealed class RawSender : IDisposable
{
    /// <summary>A feedback datagram: the receiver's number and the highest index it has seen.</summary>
    public const int FeedbackBytes = 12;

    private const int FeedbackIndexAt = 4;
    private const int PollMicros = 20_000;
    private static readonly TimeSpan FeedbackTimeout = TimeSpan.FromMilliseconds(100);

    private readonly Socket _socket;
    private readonly Socket _feedback;
    private readonly byte[] _train;
    private readonly RawShape _shape;
    private readonly long[] _seen;
    private readonly byte[] _feedbackBuffer = new byte[FeedbackBytes];
    private long _slowest;

    /// <summary>Opens the sockets.</summary>
    /// <param name="group">Address and port of the group.</param>
    /// <param name="feedback">Where feedback comes in; its address is also the interface to send by.</param>
    /// <param name="receivers">How many receivers tell how far they are.</param>
    /// <param name="shape">How messages are laid out.</param>
    public RawSender(IPEndPoint group, IPEndPoint feedback, int receivers, RawShape shape)
    {
        _socket = RawSockets.OpenSender(group, feedback.Address, shape.TrainLength > 1 ? shape.DatagramBytes : 0);
        _feedback = RawSockets.OpenFeedback(feedback);
        _train = new byte[shape.Size * shape.MessagesPerCall];
        _shape = shape;
        _seen = new long[receivers];
    }

    /// <summary>Times that feedback stopped and the window was taken as free.</summary>
    public long Stalls { get; private set; }

    /// <summary>Sends a whole run.</summary>
    /// <param name="source">What to send.</param>
    /// <param name="hasWindow">False at a fixed rate, which is its own limit.</param>
    public void Run(TrafficSource source, bool hasWindow)
    {
        int filled = 0;
        while (source.TryNext(out MeasuredHeader header))
        {
            header.Write(_train.AsSpan(filled * _shape.Size, _shape.Size));
            // At a fixed rate nothing waits for a full train.
            if (++filled < _shape.MessagesPerCall && source.IsBehind) continue;
            Send(filled);
            filled = 0;
            if (hasWindow) WaitForWindow(source.Sent);
        }
        if (filled > 0) Send(filled);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _socket.Dispose();
        _feedback.Dispose();
    }

    private void Send(int messages)
    {
        ReadOnlySpan<byte> bytes = _train.AsSpan(0, messages * _shape.Size);
        while (true)
        {
            _socket.Send(bytes, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success) return;
            if (error is not (SocketError.WouldBlock or SocketError.NoBufferSpaceAvailable))
                throw new SocketException((int)error);
            _socket.Poll(PollMicros, SelectMode.SelectWrite);
        }
    }

    private void WaitForWindow(long sent)
    {
        if (sent - _slowest + _shape.MessagesPerCall <= _shape.Window) return;
        long since = Stopwatch.GetTimestamp();
        while (true)
        {
            ReadFeedback();
            if (sent - _slowest + _shape.MessagesPerCall <= _shape.Window) return;
            if (_feedback.Poll(PollMicros, SelectMode.SelectRead)) continue;
            if (Stopwatch.GetElapsedTime(since) < FeedbackTimeout) continue;
            Stalls++;
            _slowest = sent;
            return;
        }
    }

    private void ReadFeedback()
    {
        while (true)
        {
            int length = _feedback.Receive(_feedbackBuffer, SocketFlags.None, out SocketError error);
            if (error != SocketError.Success) return;
            if (length != FeedbackBytes) continue;
            int receiver = BinaryPrimitives.ReadInt32LittleEndian(_feedbackBuffer);
            if ((uint)receiver >= (uint)_seen.Length) continue;
            _seen[
                receiver] = Math.Max(
                    _seen[receiver], BinaryPrimitives.ReadInt64LittleEndian(_feedbackBuffer.AsSpan(FeedbackIndexAt)));
            long slowest = long.MaxValue;
            foreach (long seen in _seen) slowest = Math.Min(slowest, seen);
            _slowest = Math.Max(_slowest, slowest);
        }
    }
}
