using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>
/// Where asynchronous receives of one socket come from. The framework makes a new endpoint for each source that differs from the one before; this one
/// hands it the same memory each time, and is never another, so that nothing is allocated.
/// </summary>
internal sealed class SourceAddress : EndPoint
{
    private const int PortOffset = 2;
    private const int AddressOffset = 4;

    private SocketAddress _address = new(AddressFamily.InterNetwork);

    /// <inheritdoc/>
    public override AddressFamily AddressFamily => AddressFamily.InterNetwork;

    /// <summary>Where the receive that has completed came from.</summary>
    public NetEndpoint Endpoint
    {
        get
        {
            ReadOnlySpan<byte> bytes = _address.Buffer.Span;
            return new NetEndpoint(
                BinaryPrimitives.ReadUInt32BigEndian(bytes[AddressOffset..]), BinaryPrimitives.ReadUInt16BigEndian(bytes[PortOffset..]));
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
