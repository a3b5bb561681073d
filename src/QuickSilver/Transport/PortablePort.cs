using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// A socket with one armed receive at a time. Its <see cref="SocketAsyncEventArgs"/> completes on a framework thread,
/// which only signals completion. All other members are for the core thread.
/// </summary>
internal sealed class PortablePort : SocketPort
{
    private const int Armed = 0;
    private const int Completed = 1;

    private readonly SocketAsyncEventArgs _receive = new();
    private readonly SourceAddress _source;
    private readonly Action _completed;
    private int _state = Completed;

    /// <summary>Creates a port without an armed receive; call <see cref="TryReceive"/> to begin.</summary>
    public PortablePort(Socket socket, SocketRole role, IRegionChannel? channel, Action completed)
        : base(socket, role, channel)
    {
        _completed = completed;
        _source = new SourceAddress(socket.AddressFamily);
        _receive.RemoteEndPoint = _source;
        _receive.Completed += OnCompleted;
    }

    /// <summary>True when the armed receive has completed. Any thread.</summary>
    public override bool IsReady => Volatile.Read(ref _state) == Completed;

    /// <summary>The buffer of the present receive; null when none has been started.</summary>
    public byte[]? Buffer { get; private set; }

    /// <summary>The result of the completed receive.</summary>
    public SocketError Error => _receive.SocketError;

    /// <summary>The source of the completed receive.</summary>
    public NetEndpoint Source => _source.Endpoint;

    /// <summary>The bytes of the completed receive.</summary>
    public int Length => _receive.BytesTransferred;

    /// <inheritdoc/>
    public override bool IsEmpty
    {
        get
        {
            try
            {
                return !IsReady && Socket.Available == 0;
            }
            catch (SocketException)
            {
                return true;
            }
        }
    }

    /// <summary>Starts a receive into <paramref name="buffer"/>.</summary>
    /// <returns>True when it completed at once; false when it will complete later.</returns>
    public bool TryReceive(byte[] buffer)
    {
        Buffer = buffer;
        Volatile.Write(ref _state, Armed);
        _receive.SetBuffer(buffer, 0, buffer.Length);
        if (Socket.ReceiveFromAsync(_receive)) return false;
        Volatile.Write(ref _state, Completed);
        return true;
    }

    /// <summary>Passes ownership of a completed receive's buffer to the caller.</summary>
    public void TakeBuffer() => Buffer = null;

    /// <inheritdoc/>
    public override void Dispose()
    {
        base.Dispose();
        _receive.Dispose();
    }

    private void OnCompleted(object? sender, SocketAsyncEventArgs receive)
    {
        Volatile.Write(ref _state, Completed);
        _completed();
    }
}
