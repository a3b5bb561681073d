namespace QuickSilver.WideArea.Links;

/// <summary>What a connection tells the loop. Used again: one thread at a time.</summary>
internal sealed class StreamEvent
{
    private readonly byte[] _buffer = new byte[GatewaySocket.BufferBytes];
    private int _length;

    /// <summary>What has happened.</summary>
    public StreamEventKind Kind { get; private set; }

    /// <summary>The connection.</summary>
    public StreamConnection Connection { get; private set; } = null!;

    /// <summary>The sealed datagram of a frame.</summary>
    public Span<byte> Bytes => _buffer.AsSpan(0, _length);

    /// <summary>Makes it one without bytes.</summary>
    public StreamEvent Set(StreamConnection connection, StreamEventKind kind)
    {
        Connection = connection;
        Kind = kind;
        _length = 0;
        return this;
    }

    /// <summary>Makes it a datagram that has come.</summary>
    public StreamEvent Set(StreamConnection connection, ReadOnlySpan<byte> datagram)
    {
        Set(connection, StreamEventKind.Datagram);
        _length = datagram.Length;
        datagram.CopyTo(_buffer);
        return this;
    }
}
