using System.Buffers.Binary;
using System.Net;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Transport;

/// <summary>Converts addresses between the protocol's form and the framework's.</summary>
internal static class AddressForms
{
    private const int IPv6Bytes = 16;

    /// <summary>The protocol's form of an address; a scope is left out.</summary>
    public static NetAddress ToNet(IPAddress address)
    {
        Span<byte> bytes = stackalloc byte[IPv6Bytes];
        _ = address.TryWriteBytes(bytes, out int written);
        return written < IPv6Bytes ? BinaryPrimitives.ReadUInt32BigEndian(bytes) : ToNet(bytes);
    }

    /// <summary>The protocol's form of the 16 bytes of an IPv6 address.</summary>
    public static NetAddress ToNet(ReadOnlySpan<byte> bytes) =>
        new(BinaryPrimitives.ReadUInt64BigEndian(bytes), BinaryPrimitives.ReadUInt64BigEndian(bytes[8..]));

    /// <summary>The framework's form of an address. Allocates.</summary>
    /// <param name="address">The address.</param>
    /// <param name="scope">The index of the interface, for an IPv6 address that is link-local or of a group.</param>
    public static IPAddress ToIP(NetAddress address, long scope = 0)
    {
        Span<byte> bytes = stackalloc byte[IPv6Bytes];
        if (!address.IsIPv6)
        {
            BinaryPrimitives.WriteUInt32BigEndian(bytes, address.IPv4);
            return new IPAddress(bytes[..sizeof(uint)]);
        }
        BinaryPrimitives.WriteUInt64BigEndian(bytes, address.High);
        BinaryPrimitives.WriteUInt64BigEndian(bytes[8..], address.Low);
        var plain = new IPAddress(bytes);
        return plain.IsIPv6LinkLocal || plain.IsIPv6Multicast ? new IPAddress(bytes, scope) : plain;
    }

    /// <summary>The framework's form of an endpoint. Allocates.</summary>
    /// <param name="endpoint">The endpoint.</param>
    /// <param name="scope">The index of the interface, for an IPv6 address that is link-local or of a group.</param>
    public static IPEndPoint ToEndPoint(NetEndpoint endpoint, long scope = 0) =>
        new(ToIP(endpoint.Address, scope), endpoint.Port);
}
