using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What a node is told to use for its data, in <see cref="TransportOptions.Kind"/>. What a region view came to be carried by is a
/// <see cref="Carrier"/>.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<TransportKind>))]
public enum TransportKind
{
    /// <summary>Multicast when a probe at start comes back over the chosen interface, else unicast; which one was chosen is logged and told as a
    /// <see cref="CarrierSelected"/>.</summary>
    Auto,

    /// <summary>IP multicast; the start fails when the probe does not come back.</summary>
    Multicast,

    /// <summary>Unicast fan-out: one copy for each member.</summary>
    Unicast,

    /// <summary>Within the process, without sockets for data: nodes of one process only, which are a cluster of their own whatever others there are
    /// under its name. For tests. Needs <see cref="MembershipMode.Loopback"/>, whose port then only tells one such membership of the process from
    /// another.</summary>
    InMemory,
}
