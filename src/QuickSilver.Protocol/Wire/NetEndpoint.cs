namespace QuickSilver.Protocol.Wire;

/// <summary>
/// An IPv4 address and port as plain numbers, so that the protocol needs no socket types.
/// </summary>
/// <param name="Address">The address in host order: 127.0.0.1 is 0x7F000001.</param>
/// <param name="Port">The port.</param>
internal readonly record struct NetEndpoint(uint Address, ushort Port) : IComparable<NetEndpoint>
{
    /// <summary>True for the default value, which names nothing.</summary>
    public bool IsNone => Address == 0 && Port == 0;

    /// <summary>True for an address between 224.0.0.0 and 239.255.255.255.</summary>
    public bool IsMulticast => Address >> 28 == 0xE;

    /// <summary>Address first, then port.</summary>
    public int CompareTo(NetEndpoint other)
    {
        int byAddress = Address.CompareTo(other.Address);
        return byAddress != 0 ? byAddress : Port.CompareTo(other.Port);
    }

    /// <inheritdoc/>
    public override string ToString() =>
        $"{Address >> 24}.{(Address >> 16) & 255}.{(Address >> 8) & 255}.{Address & 255}:{Port}";
}
