using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Tests.Membership;

/// <summary>
/// A registered node that says twenty times a second that it lives, by two threads of its own and blocking calls: it
/// needs no thread pool.
/// </summary>
internal sealed class ThreadedNode : IDisposable
{
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(50);

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private int _answers;
    private bool _isClosed;

    public ThreadedNode(IPEndPoint host)
    {
        _socket.Connect(host);
        _socket.Send(RawFrames.Hello("threaded", 3000));
        new Thread(Beat) { IsBackground = true }.Start();
        new Thread(Read) { IsBackground = true }.Start();
    }

    /// <summary>Heartbeats answered.</summary>
    public int Answers => Volatile.Read(ref _answers);

    /// <summary>True once the host has closed the connection.</summary>
    public bool IsClosed => Volatile.Read(ref _isClosed);

    public void Dispose() => _socket.Dispose();

    private void Beat()
    {
        try
        {
            while (true)
            {
                Thread.Sleep(Period);
                _socket.Send([2, 0, 0, 0, (byte)FrameKind.Heartbeat, 0]);
            }
        }
        catch (Exception end) when (end is SocketException or ObjectDisposedException)
        {
            return;
        }
    }

    private void Read()
    {
        try
        {
            byte[] prefix = new byte[sizeof(int)];
            while (TryFill(prefix))
            {
                byte[] frame = new byte[BinaryPrimitives.ReadInt32LittleEndian(prefix)];
                if (TryFill(frame) && frame[0] == (byte)FrameKind.Heartbeat) Interlocked.Increment(ref _answers);
            }
        }
        catch (Exception end) when (end is SocketException or ObjectDisposedException)
        {
            // As good as closed.
        }
        Volatile.Write(ref _isClosed, true);
    }

    private bool TryFill(Span<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            int length = _socket.Receive(bytes);
            if (length == 0) return false;
            bytes = bytes[length..];
        }
        return true;
    }
}
