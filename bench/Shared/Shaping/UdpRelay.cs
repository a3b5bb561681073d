using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Bench.Shaping;

/// <summary>
/// A way between two UDP sockets of this machine that loses, delays and narrows, by a seed. Each end sends to the
/// relay's address on its side. Three threads; a datagram is up to a millisecond late.
/// </summary>
internal sealed class UdpRelay : IDisposable
{
    private const int HeaderBytes = 28;

    private readonly Socket[] _sides = [Open(), Open()];
    private readonly IPEndPoint?[] _targets = new IPEndPoint?[2];
    private readonly ShapedWay[] _ways;
    private readonly PriorityQueue<(int Side, byte[] Bytes), (double Due, long Order)> _queue = new();
    private readonly Stopwatch _clock = Stopwatch.StartNew();
    private readonly Thread[] _threads;
    private long _order;
    private bool _isStopping;

    /// <summary>Begins; nothing passes until both targets are set.</summary>
    public UdpRelay(int seed)
    {
        _ways = [new ShapedWay(seed, HeaderBytes), new ShapedWay(seed + 1, HeaderBytes)];
        _threads =
        [
            new Thread(() => Receive(0)) { IsBackground = true },
            new Thread(() => Receive(1)) { IsBackground = true },
            new Thread(Deliver) { IsBackground = true },
        ];
        foreach (Thread thread in _threads) thread.Start();
    }

    /// <summary>Where the first end sends to.</summary>
    public IPEndPoint First => (IPEndPoint)_sides[0].LocalEndPoint!;

    /// <summary>Where the second end sends to.</summary>
    public IPEndPoint Second => (IPEndPoint)_sides[1].LocalEndPoint!;

    /// <summary>Datagrams that came in, by both directions.</summary>
    public long Received { get; private set; }

    /// <summary>Datagrams that were lost here.</summary>
    public long Lost { get; private set; }

    /// <summary>Called with each datagram that passes, and its direction (0: from the first). On a relay thread.
    /// </summary>
    public Action<int, byte[]>? Seen { get; set; }

    /// <summary>Where the ends are; they may move.</summary>
    public void Connect(IPEndPoint? first, IPEndPoint? second)
    {
        lock (_queue) (_targets[0], _targets[1]) = (first ?? _targets[0], second ?? _targets[1]);
    }

    /// <summary>Shapes both directions.</summary>
    public void Shape(WayShape shape) => Shape(shape, shape);

    /// <summary>Shapes each direction.</summary>
    public void Shape(WayShape fromFirst, WayShape fromSecond)
    {
        lock (_queue) (_ways[0].Shape, _ways[1].Shape) = (fromFirst, fromSecond);
    }

    /// <summary>Ends.</summary>
    public void Dispose()
    {
        lock (_queue)
        {
            _isStopping = true;
            Monitor.PulseAll(_queue);
        }
        foreach (Socket side in _sides) side.Dispose();
        foreach (Thread thread in _threads) thread.Join();
    }

    private static Socket Open()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.ReceiveBufferSize = socket.SendBufferSize = 4 << 20;
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    private void Receive(int side)
    {
        var buffer = new byte[65_536];
        EndPoint from = new IPEndPoint(IPAddress.Loopback, 0);
        while (true)
        {
            int length;
            try
            {
                length = _sides[side].ReceiveFrom(buffer, ref from);
            }
            catch (SocketException)
            {
                if (Volatile.Read(ref _isStopping)) return;
                continue;
            }
            catch (ObjectDisposedException)
            {
                return;
            }
            lock (_queue) Pass(side, buffer.AsSpan(0, length));
        }
    }

    private void Pass(int side, ReadOnlySpan<byte> datagram)
    {
        Received++;
        if (_ways[side].Pass(_clock.Elapsed.TotalSeconds, datagram.Length) is not { } due)
        {
            Lost++;
            return;
        }
        byte[] bytes = datagram.ToArray();
        Seen?.Invoke(side, bytes);
        _queue.Enqueue((1 - side, bytes), (due, _order++));
        if (_ways[side].Doubles()) _queue.Enqueue((1 - side, bytes), (due, _order++));
        Monitor.PulseAll(_queue);
    }

    private void Deliver()
    {
        while (true)
        {
            (int Side, byte[] Bytes) next;
            IPEndPoint? target;
            lock (_queue)
            {
                if (_isStopping) return;
                if (!_queue.TryPeek(out next, out (double Due, long Order) at))
                {
                    Monitor.Wait(_queue);
                    continue;
                }
                double rest = at.Due - _clock.Elapsed.TotalSeconds;
                if (rest > 0)
                {
                    Monitor.Wait(_queue, TimeSpan.FromMilliseconds(Math.Max(1, rest * 1000)));
                    continue;
                }
                _queue.Dequeue();
                target = _targets[next.Side];
            }
            if (target is null) continue;
            try
            {
                _sides[next.Side].SendTo(next.Bytes, target);
            }
            catch (Exception refusal) when (refusal is SocketException or ObjectDisposedException)
            {
                // Nobody is there: the datagram is lost, as on any way.
                continue;
            }
        }
    }
}
