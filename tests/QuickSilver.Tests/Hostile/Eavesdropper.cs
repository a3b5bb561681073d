using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Tests.Hostile;

/// <summary>Another program that listens to a region's multicast: the kernel asks nobody's leave for it.</summary>
internal sealed class Eavesdropper : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly Task _listening;

    /// <summary>Begins to listen.</summary>
    public Eavesdropper(IPEndPoint multicast)
    {
        _socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        _socket.ReceiveBufferSize = 1 << 20;
        // Beside other sockets with the port, as of nodes of other processes; Windows has no such sockets.
        _socket.Bind(OperatingSystem.IsWindows() ? new IPEndPoint(IPAddress.Any, multicast.Port) : multicast);
        _socket.SetSocketOption(
            SocketOptionLevel.IP, SocketOptionName.AddMembership,
            new MulticastOption(multicast.Address, IPAddress.Loopback));
        _listening = Task.Factory.StartNew(
            Listen, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>What was heard, in order.</summary>
    public ConcurrentQueue<byte[]> Heard { get; } = new();

    /// <inheritdoc/>
    public void Dispose()
    {
        _socket.Dispose();
        _listening.Wait();
    }

    private void Listen()
    {
        byte[] buffer = new byte[ushort.MaxValue];
        try
        {
            while (true) Heard.Enqueue(buffer[.._socket.Receive(buffer)]);
        }
        catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
        {
            // The end.
        }
    }
}
