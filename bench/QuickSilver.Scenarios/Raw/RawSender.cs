using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Scenarios.Traffic;

namespace QuickSilver.Scenarios.Raw;

/// <summary>
/// The least that a C# program can do to multicast messages without overrunning its receivers: a window of 1500 datagrams ahead of the slowest
/// receiver, whose feedback comes every 500. No
/// repair: what is lost is lost, and if the feedback itself stops for a tenth of a second the window is taken as free, so a lost tail does not end
/// the run. One thread.
/// </summary>
internal sealed class RawSender : IDisposable
{
    /// <summary>Datagrams that may be under way.</summary>
    public const int Window = 1500;

    /// <summary>A receiver tells how far it is after so many.</summary>
    public const int FeedbackEvery = 500;

    /// <summary>A feedback datagram: the receiver's number and the highest index it has seen.</summary>
    public const int FeedbackBytes = 12;

    private const int FeedbackIndexAt = 4;
    private const int PollMicros = 20_000;
    private static readonly TimeSpan FeedbackTimeout = TimeSpan.FromMilliseconds(100);

    private readonly Socket _socket;
    private readonly Socket _feedback;
    private readonly byte[] _train;
    private readonly int _size;
    private readonly int _trainLength;
    private readonly long[] _seen;
    private readonly byte[] _feedbackBuffer = new byte[FeedbackBytes];
    private long _slowest;

    /// <summary>Opens the sockets.</summary>
    /// <param name="group">Address and port of the group.</param>
    /// <param name="feedbackPort">Where feedback comes in.</param>
    /// <param name="receivers">How many receivers tell how far they are.</param>
    /// <param name="size">Bytes of a datagram.</param>
    /// <param name="trainLength">Datagrams handed to the kernel in a call; 1: one by one.</param>
    public RawSender(IPEndPoint group, int feedbackPort, int receivers, int size, int trainLength)
    {
        _socket = RawSockets.OpenSender(group, trainLength > 1 ? size : 0);
        _feedback = RawSockets.OpenFeedback(feedbackPort);
        _train = new byte[size * trainLength];
        _size = size;
        _trainLength = trainLength;
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
            header.Write(_train.AsSpan(filled * _size));
            if (++filled < _trainLength) continue;
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

    private void Send(int datagrams)
    {
        ReadOnlySpan<byte> bytes = _train.AsSpan(0, datagrams * _size);
        while (true)
        {
            _socket.Send(bytes, SocketFlags.None, out SocketError error);
            if (error == SocketError.Success) return;
            if (error is not (SocketError.WouldBlock or SocketError.NoBufferSpaceAvailable)) throw new SocketException((int)error);
            _socket.Poll(PollMicros, SelectMode.SelectWrite);
        }
    }

    private void WaitForWindow(long sent)
    {
        if (sent - _slowest + _trainLength <= Window) return;
        long since = Stopwatch.GetTimestamp();
        while (true)
        {
            ReadFeedback();
            if (sent - _slowest + _trainLength <= Window) return;
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
            _seen[receiver] = Math.Max(_seen[receiver], BinaryPrimitives.ReadInt64LittleEndian(_feedbackBuffer.AsSpan(FeedbackIndexAt)));
            long slowest = long.MaxValue;
            foreach (long seen in _seen) slowest = Math.Min(slowest, seen);
            _slowest = Math.Max(_slowest, slowest);
        }
    }
}
