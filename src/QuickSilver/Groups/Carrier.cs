using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The way one region view is carried, as it turned out: see <see cref="RegionView.Carrier"/>. What was asked for is a
/// <see cref="TransportKind"/>.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Carrier>))]
public enum Carrier
{
    /// <summary>One IP multicast to the region's own address.</summary>
    Multicast,

    /// <summary>The same packets, one copy for each member.</summary>
    Unicast,

    /// <summary>Within the process.</summary>
    InMemory,
}
