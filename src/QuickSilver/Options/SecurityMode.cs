using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What protects a cluster: the connections to its membership server and its datagrams. All nodes of a cluster
/// have the same.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<SecurityMode>))]
public enum SecurityMode
{
    /// <summary>The choice is the node's: <see cref="PreSharedKey"/> with <see cref="SecurityOptions.KeyFile"/> or
    /// another key, if one is given; <see cref="Certificates"/>, if one is given. Without either, nodes of one machine
    /// (<see cref="MembershipMode.Loopback"/>) have a key of their user's own, a file that the first start makes.
    /// On a network a start fails then, with <see cref="ErrorCode.SecurityNotChosen"/>.</summary>
    Auto,

    /// <summary>All nodes hold the same secret key. Who has it may join, serve, and name itself as it likes.</summary>
    PreSharedKey,

    /// <summary>Each node has a certificate of an authority that all nodes trust. Its name is the node's
    /// identity.</summary>
    Certificates,

    /// <summary>Nothing is protected. All who reach the network or the machine can read and forge messages.</summary>
    None,
}
