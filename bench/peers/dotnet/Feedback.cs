using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Peers.DotNet;

/// <summary>How far the receivers are, as they tell the sender by small UDP datagrams: their number and what they
/// have.</summary>
internal sealed class Feedback : IDisposable
{
    private const int Bytes = 12;
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly long[] _received;
    private readonly byte[] _buffer = new byte[Bytes];

    /// <summary>The sender's end.</summary>
    public Feedback(IPEndPoint at, int receivers)
    {
        _received = new long[receivers];
        Array.Fill(_received, -1);
        _socket.Bind(at);
        new Thread(Listen) { IsBackground = true, Name = "feedback" }.Start();
    }

    /// <summary>What the slowest receiver has; -1: one has not been heard.</summary>
    public long Slowest
    {
        get
        {
            long slowest = long.MaxValue;
            for (int receiver = 0; receiver < _received.Length; receiver++)
                slowest = Math.Min(slowest, Volatile.Read(ref _received[receiver]));
            return slowest;
        }
    }

    /// <summary>Tells, from a receiver.</summary>
    public static void Tell(Socket socket, EndPoint sender, int receiver, long received)
    {
        Span<byte> text = stackalloc byte[Bytes];
        BinaryPrimitives.WriteInt32LittleEndian(text, receiver);
        BinaryPrimitives.WriteInt64LittleEndian(text[4..], received);
        socket.SendTo(text, sender);
    }

    /// <summary>Waits until the slowest receiver has so much; a datagram that is lost is made up for by the
    /// next.</summary>
    public void WaitFor(long received)
    {
        var spin = default(SpinWait);
        while (Slowest < received)
        {
            if (spin.NextSpinWillYield) Thread.Sleep(0);
            spin.SpinOnce(sleep1Threshold: 20);
        }
    }

    /// <summary>Publishes probes until every receiver has been heard.</summary>
    public async Task AwaitAllAsync(Func<ValueTask> probe)
    {
        while (Slowest < 0)
        {
            await probe();
            await Task.Delay(Look);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    private void Listen()
    {
        try
        {
            while (_socket.Receive(_buffer) == Bytes)
            {
                int receiver = BinaryPrimitives.ReadInt32LittleEndian(_buffer);
                long received = BinaryPrimitives.ReadInt64LittleEndian(_buffer.AsSpan(4));
                if ((uint)receiver < (uint)_received.Length && received > _received[receiver])
                    Volatile.Write(ref _received[receiver], received);
            }
        }
        catch (SocketException)
        {
            // The run is over.
        }
    }
}
