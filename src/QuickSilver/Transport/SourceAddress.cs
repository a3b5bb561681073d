using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// The source of a socket's asynchronous receives. The framework creates a new endpoint for each source that differs
/// from the previous one. This endpoint always returns itself and reuses its memory, so that receives allocate nothing.
/// </summary>
internal sealed class SourceAddress : EndPoint
{
    private const int PortOffset = 2;
    private const int AddressOffset = 4;

    private SocketAddress _address = new(AddressFamily.InterNetwork);

    /// <inheritdoc/>
    public override AddressFamily AddressFamily => AddressFamily.InterNetwork;

    /// <summary>The source of the completed receive.</summary>
    public NetEndpoint Endpoint
    {
        get
        {
            ReadOnlySpan<byte> bytes = _address.Buffer.Span;
            return new NetEndpoint(
                BinaryPrimitives.ReadUInt32BigEndian(bytes[AddressOffset..]),
                BinaryPrimitives.ReadUInt16BigEndian(bytes[PortOffset..]));
        }
    }

    /// <inheritdoc/>
    public override SocketAddress Serialize() => _address;

    /// <inheritdoc/>
    public override EndPoint Create(SocketAddress socketAddress)
    {
        _address = socketAddress;
        return this;
    }
}
