using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// The source of a socket's asynchronous receives. The framework creates a new endpoint for each source that differs
/// from the previous one. This endpoint always returns itself and reuses its memory, so that receives allocate nothing.
/// </summary>
/// <param name="family">The family of the socket.</param>
internal sealed class SourceAddress(AddressFamily family) : EndPoint
{
    private const int PortOffset = 2;
    private const int IPv4Offset = 4;
    private const int IPv6Offset = 8;

    private SocketAddress _address = new(family);

    /// <inheritdoc/>
    public override AddressFamily AddressFamily => family;

    /// <summary>The source of the completed receive.</summary>
    public NetEndpoint Endpoint
    {
        get
        {
            ReadOnlySpan<byte> bytes = _address.Buffer.Span;
            NetAddress address = family == AddressFamily.InterNetworkV6
                ? AddressForms.ToNet(bytes[IPv6Offset..])
                : BinaryPrimitives.ReadUInt32BigEndian(bytes[IPv4Offset..]);
            return new NetEndpoint(address, BinaryPrimitives.ReadUInt16BigEndian(bytes[PortOffset..]));
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
