using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Bench.Runs;

/// <summary>Sends a datagram to an endpoint again and again, on a thread of its own, until it is disposed of.</summary>
internal sealed class JunkFlood : IDisposable
{
    private const int Burst = 64;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly Thread _thread;
    private volatile bool _isOver;
    private long _sent;

    /// <summary>Begins.</summary>
    /// <param name="target">Where to.</param>
    /// <param name="datagram">What.</param>
    /// <param name="rate">Datagrams a second, as far as one thread can.</param>
    public JunkFlood(IPEndPoint target, byte[] datagram, double rate)
    {
        _socket.Connect(target);
        _thread = new Thread(() => Send(datagram, rate)) { IsBackground = true, Name = "junk" };
        _thread.Start();
    }

    /// <summary>How many were sent.</summary>
    public long Sent => Interlocked.Read(ref _sent);

    /// <inheritdoc/>
    public void Dispose()
    {
        _isOver = true;
        _thread.Join();
        _socket.Dispose();
    }

    private void Send(byte[] datagram, double rate)
    {
        long start = Stopwatch.GetTimestamp();
        while (!_isOver)
        {
            for (int index = 0; index < Burst; index++)
            {
                try
                {
                    _socket.Send(datagram);
                }
                catch (SocketException)
                {
                    // The kernel has no room, or nobody is there.
                }
            }
            _sent += Burst;
            double early = (_sent / rate) - Stopwatch.GetElapsedTime(start).TotalSeconds;
            if (early > 0.002) Thread.Sleep(1);
            while (!_isOver && _sent / rate > Stopwatch.GetElapsedTime(start).TotalSeconds) Thread.SpinWait(20);
        }
    }
}
