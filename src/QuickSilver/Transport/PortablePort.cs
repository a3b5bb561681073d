using System.Net.Sockets;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// A socket with one receive armed at a time. Its <see cref="SocketAsyncEventArgs"/> completes on a thread of the framework, which only says so;
/// everything else is the core thread's.
/// </summary>
internal sealed class PortablePort : SocketPort
{
    private const int Armed = 0;
    private const int Completed = 1;

    private readonly SocketAsyncEventArgs _receive = new();
    private readonly SourceAddress _source = new();
    private readonly Action _completed;
    private int _state = Completed;

    /// <summary>Makes a port with nothing armed; call <see cref="TryReceive"/> to begin.</summary>
    public PortablePort(Socket socket, SocketRole role, IRegionChannel? channel, Action completed)
        : base(socket, role, channel)
    {
        _completed = completed;
        _receive.RemoteEndPoint = _source;
        _receive.Completed += OnCompleted;
    }

    /// <summary>True when the receive that was armed has completed.</summary>
    public override bool IsReady => Volatile.Read(ref _state) == Completed;

    /// <summary>The buffer that the present receive fills; null when none has been started.</summary>
    public byte[]? Buffer { get; private set; }

    /// <summary>Result of the receive that has completed.</summary>
    public SocketError Error => _receive.SocketError;

    /// <summary>Where it came from.</summary>
    public NetEndpoint Source => _source.Endpoint;

    /// <summary>Bytes it brought.</summary>
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
    /// <returns>True when it has completed at once; false when it will complete later.</returns>
    public bool TryReceive(byte[] buffer)
    {
        Buffer = buffer;
        Volatile.Write(ref _state, Armed);
        _receive.SetBuffer(buffer, 0, buffer.Length);
        if (Socket.ReceiveFromAsync(_receive)) return false;
        Volatile.Write(ref _state, Completed);
        return true;
    }

    /// <summary>Forgets the buffer of a completed receive: it is the caller's now.</summary>
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
