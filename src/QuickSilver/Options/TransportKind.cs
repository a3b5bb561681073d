using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>The transport that <see cref="TransportOptions.Kind"/> requests for a node's data. A <see cref="Carrier"/>
/// is the result for one region view.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<TransportKind>))]
public enum TransportKind
{
    /// <summary>Multicast if a probe at start returns over the chosen interface, otherwise unicast. The choice is
    /// logged and reported by a <see cref="CarrierSelected"/> event.</summary>
    Auto,

    /// <summary>IP multicast. The start fails if the probe does not return.</summary>
    Multicast,

    /// <summary>Unicast fan-out: one copy for each member.</summary>
    Unicast,

    /// <summary>Data passes within the process, without sockets. For tests. Nodes of one process form a cluster of
    /// their own, regardless of others under its name. Needs <see cref="MembershipMode.Loopback"/>; its port only
    /// distinguishes several such clusters in the process.</summary>
    InMemory,
}
