using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The transport that carries packets to one region view; see <see cref="RegionView.Carrier"/>. It results
/// from the requested <see cref="TransportKind"/> and from the network.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<Carrier>))]
public enum Carrier
{
    /// <summary>IP multicast to the region's own address.</summary>
    Multicast,

    /// <summary>One unicast copy of each packet for each member.</summary>
    Unicast,

    /// <summary>Memory of the process, without sockets.</summary>
    InMemory,
}
