namespace QuickSilver;

/// <summary>How a region's data travels.</summary>
public enum Carrier
{
    /// <summary>One IP multicast to the region's own address.</summary>
    Multicast,

    /// <summary>The same packets, one copy for each member.</summary>
    Unicast,

    /// <summary>Within the process.</summary>
    InMemory,
}
