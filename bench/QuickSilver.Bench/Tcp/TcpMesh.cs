using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Bench.Tcp;

/// <summary>
/// One connection between every two of a run's processes, made by the one with the higher number. Framing is that of
/// <see cref="TcpFraming"/>. A thread reads each connection; any thread may send.
/// </summary>
internal sealed class TcpMesh : IDisposable
{
    private const int ReadBytes = 64 << 10;

    private readonly Lock _sending = new();
    private readonly Lock _receiving = new();
    private readonly List<Socket> _connections = [];
    private byte[] _frame = [];

    private TcpMesh()
    {
    }

    /// <summary>Connects a process to all others; returns when all have.</summary>
    /// <param name="self">Its number.</param>
    /// <param name="addresses">Of all processes, by number.</param>
    /// <param name="port">On which each listens, at its own address.</param>
    /// <exception cref="SocketException">One of them never listened.</exception>
    public static async Task<TcpMesh> ConnectAsync(int self, IReadOnlyList<string> addresses, int port)
    {
        var mesh = new TcpMesh();
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Parse(addresses[self]), port));
        listener.Listen();
        foreach (string address in addresses.Take(self))
        {
            var to = new IPEndPoint(IPAddress.Parse(address), port);
            mesh._connections.Add(await TcpConnection.ConnectSocketAsync(to));
        }
        while (mesh._connections.Count < addresses.Count - 1)
        {
            Socket connection = await listener.AcceptAsync();
            connection.NoDelay = true;
            mesh._connections.Add(connection);
        }
        return mesh;
    }

    /// <summary>Begins to read.</summary>
    /// <param name="most">Bytes of the longest message.</param>
    /// <param name="take">Called with each message, one at a time.</param>
    public void Receive(int most, Action<ReadOnlySpan<byte>> take)
    {
        foreach (Socket connection in _connections)
        {
            new Thread(() => Read(connection, most, take)) { IsBackground = true, Name = "receiver" }.Start();
        }
    }

    /// <summary>Writes a message to every connection; returns when the kernel has taken all of it.</summary>
    public void Send(ReadOnlySpan<byte> message)
    {
        lock (_sending)
        {
            int length = TcpFraming.HeadBytes + message.Length;
            if (_frame.Length < length) _frame = new byte[length];
            TcpFraming.Write(_frame, message.Length);
            message.CopyTo(_frame.AsSpan(TcpFraming.HeadBytes));
            foreach (Socket connection in _connections)
            {
                for (int sent = 0; sent < length;) sent += connection.Send(_frame.AsSpan(sent, length - sent));
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (Socket connection in _connections) connection.Dispose();
    }

    private void Read(Socket connection, int most, Action<ReadOnlySpan<byte>> take)
    {
        byte[] buffer = new byte[Math.Max(ReadBytes, TcpFraming.HeadBytes + most)];
        int held = 0;
        while (true)
        {
            int length;
            try
            {
                length = connection.Receive(buffer.AsSpan(held));
            }
            catch (Exception closed) when (closed is SocketException or ObjectDisposedException)
            {
                return;
            }
            if (length == 0) return;
            held += length;
            int at = 0;
            while (held - at >= TcpFraming.HeadBytes)
            {
                int message = TcpFraming.Read(buffer.AsSpan(at));
                int end = at + TcpFraming.HeadBytes + message;
                if (end > held) break;
                lock (_receiving) take(buffer.AsSpan(at + TcpFraming.HeadBytes, message));
                at = end;
            }
            buffer.AsSpan(at, held - at).CopyTo(buffer);
            held -= at;
        }
    }
}
