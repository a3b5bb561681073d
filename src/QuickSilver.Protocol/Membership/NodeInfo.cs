using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The description of one node: one instance per node in a process, shared by all views, so that a removal is seen
/// everywhere at once. Core thread only.
/// </summary>
internal sealed class NodeInfo
{
    /// <summary>Makes the record of a node that has registered.</summary>
    public NodeInfo(
        NodeNumber number,
        string name,
        ulong incarnation,
        NetEndpoint control,
        NetEndpoint data,
        int receiveBufferBytes)
    {
        Number = number;
        Name = name;
        Incarnation = incarnation;
        Control = control;
        Data = data;
        ReceiveBufferBytes = receiveBufferBytes;
    }

    /// <summary>The node's number; datagrams carry its <see cref="NodeNumber.Key"/>.</summary>
    public NodeNumber Number { get; }

    /// <summary>The node's name, for diagnostics.</summary>
    public string Name { get; }

    /// <summary>Distinguishes two lives on one address; rises.</summary>
    public ulong Incarnation { get; }

    /// <summary>The endpoint for tokens, acknowledgements, NAKs and pulls.</summary>
    public NetEndpoint Control { get; }

    /// <summary>The endpoint for repairs, and for data carried by unicast.</summary>
    public NetEndpoint Data { get; }

    /// <summary>The receive buffer of the node's data sockets, in the kernel's own accounting.</summary>
    public int ReceiveBufferBytes { get; }

    /// <summary>The longest datagram that the node's interface takes, header included; 0: no limit.</summary>
    public int LongestDatagram { get; init; }

    /// <summary>The identity that its certificate proved to the server; empty where none is proven.</summary>
    public string Identity { get; init; } = "";

    /// <summary>True once the node is gone from the cluster: its data, repairs and reports no longer count.</summary>
    public bool IsRemoved { get; set; }

    /// <summary>
    /// True when a datagram may come from this node. Unicast comes from the endpoint that its kind demands. Multicast
    /// leaves by one socket per region view, so it comes from the node's address. Over loopback a node has several
    /// addresses, and all of them count.
    /// </summary>
    /// <param name="kind">The datagram's kind.</param>
    /// <param name="arrival">The datagram's source and socket.</param>
    public bool MaySend(DatagramKind kind, in Arrival arrival)
    {
        if (arrival.Role == SocketRole.Multicast && IsHere(arrival.Source.Address)) return true;
        return arrival.IsUnchecked || DatagramKinds.SourceOf(kind) switch
        {
            DatagramSource.Control => arrival.Source == Control,
            DatagramSource.Data => arrival.Role != SocketRole.Multicast && arrival.Source == Data,
            _ => true,
        };
    }

    private bool IsHere(NetAddress address) =>
        address == Data.Address || (address.IsLoopback && Data.Address.IsLoopback);

    /// <inheritdoc/>
    public override string ToString() => $"{Name}({Number})";
}
