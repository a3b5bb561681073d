using System.Diagnostics;
using System.Runtime.InteropServices;
using QuickSilver.Bench.Shaping;

namespace QuickSilver.Scenarios.Wide;

/// <summary>
/// The network between sites: IP packets of whatever protocol go from card to card, each by the uplink of its sender
/// and then by the way between the two. One thread; a packet is some 0.1 ms late. Site s has the address 10.99.0.s+1.
/// </summary>
internal sealed partial class TunRouter : IDisposable
{
    private const int MostBytes = 2048;
    private const int ReadAtOnce = 64;
    private const int DestinationAt = 16;
    private const int AddressBytes = 4;
    private const int Version4 = 4;
    private const short PollIn = 1;
    private const double LongestSleep = 0.05;
    private const int NanosecondsPerSecond = 1_000_000_000;

    private readonly TunDevice[] _cards;
    private readonly ShapedWay[] _uplinks;
    private readonly ShapedWay[,] _ways;
    private readonly PriorityQueue<(int To, byte[] Packet), (double Due, long Order)> _queue = new();
    private readonly Stopwatch _clock = Stopwatch.StartNew();
    private readonly Lock _lock = new();
    private readonly Thread _thread;
    private long _order;
    private volatile bool _isStopping;

    /// <summary>Begins, with ways that are cut.</summary>
    public TunRouter(TunDevice[] cards)
    {
        _cards = cards;
        _uplinks = [.. cards.Select(static (_, site) => new ShapedWay(1 + site, headerBytes: 0))];
        _ways = new ShapedWay[cards.Length, cards.Length];
        for (int way = 0; way < _ways.Length; way++)
        {
            _ways[way / cards.Length, way % cards.Length] =
                new ShapedWay(100 + way, headerBytes: 0) { Shape = new WayShape { IsCut = true } };
        }
        _thread = new Thread(Run) { IsBackground = true, Name = "network" };
        _thread.Start();
    }

    /// <summary>Shapes what a site sends, wherever it goes.</summary>
    public void ShapeUplink(int site, WayShape shape)
    {
        lock (_lock) _uplinks[site].Shape = shape;
    }

    /// <summary>Shapes both ways between two sites.</summary>
    public void Shape(int first, int second, WayShape shape)
    {
        lock (_lock) _ways[first, second].Shape = _ways[second, first].Shape = shape;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _isStopping = true;
        _thread.Join();
    }

    private void Run()
    {
        var files = new PollFile[_cards.Length];
        for (int site = 0; site < files.Length; site++)
            files[site] = new PollFile { File = _cards[site].Descriptor, Events = PollIn };
        var buffer = new byte[MostBytes];
        while (!_isStopping)
        {
            double rest = _queue.TryPeek(out _, out (double Due, long) next)
                ? Math.Clamp(next.Due - _clock.Elapsed.TotalSeconds, 0, LongestSleep) : LongestSleep;
            var time = new TimeSpec { Nanoseconds = (nint)(rest * NanosecondsPerSecond) };
            _ = Poll(files, (nuint)files.Length, time, 0);
            lock (_lock)
            {
                for (int site = 0; site < files.Length; site++)
                {
                    if (files[site].Found != 0) Take(site, buffer);
                }
            }
            double now = _clock.Elapsed.TotalSeconds;
            while (_queue.TryPeek(out (int To, byte[] Packet) packet, out next) && next.Due <= now)
            {
                _queue.Dequeue();
                _cards[packet.To].Write(packet.Packet);
            }
        }
    }

    private void Take(int from, byte[] buffer)
    {
        double now = _clock.Elapsed.TotalSeconds;
        for (int count = 0; count < ReadAtOnce; count++)
        {
            int length = _cards[from].Read(buffer);
            if (length <= DestinationAt + AddressBytes) return;
            int to = buffer[DestinationAt + AddressBytes - 1] - 1;
            if (buffer[0] >> 4 != Version4 || to < 0 || to >= _cards.Length || to == from) continue;
            if (_uplinks[from].Pass(now, length) is not { } left) continue;
            if (_ways[from, to].Pass(left, length) is { } due)
                _queue.Enqueue((to, buffer[..length]), (due, _order++));
        }
    }

    [LibraryImport("libc", EntryPoint = "ppoll")]
    private static partial int Poll([In, Out] PollFile[] files, nuint count, in TimeSpec time, nint signals);

    [StructLayout(LayoutKind.Sequential)]
    private struct PollFile
    {
        public int File;
        public short Events;
        public short Found;
    }

    [StructLayout(LayoutKind.Sequential)]
    private struct TimeSpec
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
