using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Tests.Membership;

/// <summary>Strangers at a membership port, all of the bad kinds at once, from when it is made until it is disposed
/// of.</summary>
internal sealed class Attackers : IAsyncDisposable
{
    private const int Idle = 300;
    private const int Slow = 100;
    private const int Deaf = 40;
    private const int Busy = 2;
    private static readonly TimeSpan SlowPeriod = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(2);

    private readonly IPEndPoint _port;
    private readonly CancellationTokenSource _stop = new();
    private readonly List<Task> _work = [];
    private int _connections;

    /// <summary>Begins.</summary>
    public Attackers(int port)
    {
        _port = new IPEndPoint(IPAddress.Loopback, port);
        for (int index = 0; index < Idle; index++) Begin(BeIdleAsync);
        for (int index = 0; index < Slow; index++) Begin(BeSlowAsync);
        for (int index = 0; index < Deaf; index++) Begin(BeDeafAsync, index);
        for (int index = 0; index < Busy; index++)
        {
            Begin(random => SendAndCloseAsync(() => Garbage(random)));
            Begin(_ => SendAndCloseAsync(() => RawFrames.Prefix(int.MaxValue)));
            Begin(_ => SendAndCloseAsync(() => RawFrames.Prefix(0)));
            Begin(_ => SendAndCloseAsync(() => RawFrames.Hello("tests", 2, new ProtocolVersions(77, 77))));
            Begin(_ => SendAndCloseAsync(() => RawFrames.Hello("tests", 3)[..^5]));
            Begin(
                random => SendAndCloseAsync(
                    () => [.. RawFrames.Hello($"else {random.NextBelow(50)}", 4), .. Garbage(random)]));
        }
    }

    /// <summary>Connections made.</summary>
    public int Connections => Volatile.Read(ref _connections);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_work);
        _stop.Dispose();
    }

    private static byte[] Garbage(SeededRandom random)
    {
        byte[] bytes = new byte[1 + random.NextBelow(4000)];
        for (int index = 0; index < bytes.Length; index++) bytes[index] = (byte)random.NextUInt64();
        return bytes;
    }

    private void Begin(Func<SeededRandom, Task> attack)
    {
        var random = new SeededRandom((ulong)_work.Count);
        _work.Add(Task.Run(async () =>
        {
            while (!_stop.IsCancellationRequested)
            {
                try
                {
                    await attack(random);
                }
                catch (Exception end) when (end is SocketException or OperationCanceledException)
                {
                    // Shown the door: it comes again.
                }
            }
        }));
    }

    private void Begin(Func<int, Task> attack, int number) => Begin(_ => attack(number));

    private async Task<Socket> ConnectAsync()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            await socket.ConnectAsync(_port, _stop.Token);
            Interlocked.Increment(ref _connections);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    private async Task BeIdleAsync(SeededRandom random)
    {
        using Socket socket = await ConnectAsync();
        await socket.ReceiveAsync(new byte[1], SocketFlags.None, _stop.Token);
    }

    // The beginning of a registration, byte by byte.
    private async Task BeSlowAsync(SeededRandom random)
    {
        using Socket socket = await ConnectAsync();
        foreach (byte next in RawFrames.Hello("tests", 5))
        {
            await socket.SendAsync(new[] { next }, SocketFlags.None, _stop.Token);
            await Task.Delay(SlowPeriod, _stop.Token);
        }
    }

    // Members of clusters of their own, which join and join and read nothing of what they are told.
    private async Task BeDeafAsync(int number)
    {
        using Socket socket = await ConnectAsync();
        socket.ReceiveBufferSize = 1024;
        await socket.SendAsync(RawFrames.Hello($"deaf {number}", (ushort)(6 + number)), SocketFlags.None, _stop.Token);
        var builder = new FrameBuilder();
        for (int round = 0; round < 500; round++)
        {
            builder.Begin(FrameKind.Join).WriteByte(0).WriteVarint(1).WriteText($"group {round}");
            await socket.SendAsync(RawFrames.Frame(builder.Span), SocketFlags.None, _stop.Token);
            await Task.Delay(Pause, _stop.Token);
        }
    }

    private async Task SendAndCloseAsync(Func<byte[]> bytes)
    {
        using Socket socket = await ConnectAsync();
        await socket.SendAsync(bytes(), SocketFlags.None, _stop.Token);
        await Task.Delay(Pause, _stop.Token);
    }
}
