namespace QuickSilver.Protocol.Wire;

/// <summary>An address and a port.</summary>
/// <param name="Address">The address, of IPv4 or IPv6.</param>
/// <param name="Port">The port.</param>
internal readonly record struct NetEndpoint(NetAddress Address, ushort Port) : IComparable<NetEndpoint>
{
    /// <summary>True for the default value, which names nothing.</summary>
    public bool IsNone => Address == default && Port == 0;

    /// <summary>True for the address of a multicast group.</summary>
    public bool IsMulticast => Address.IsMulticast;

    /// <summary>Address first, then port.</summary>
    public int CompareTo(NetEndpoint other)
    {
        int byAddress = Address.CompareTo(other.Address);
        return byAddress != 0 ? byAddress : Port.CompareTo(other.Port);
    }

    /// <summary>The usual text: "10.0.0.5:15001", "[fd00::5]:15001".</summary>
    public override string ToString() => Address.IsIPv6 ? $"[{Address}]:{Port}" : $"{Address}:{Port}";
}
