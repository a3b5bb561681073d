using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// What is known of one node: one instance per node in a process, shared by all views, so that a removal is seen everywhere at
/// once. Core thread only.
/// </summary>
public sealed class NodeInfo
{
    private const uint Loopback = 127;

    /// <summary>Makes the record of a node that has registered.</summary>
    public NodeInfo(NodeNumber number, string name, ulong incarnation, NetEndpoint control, NetEndpoint data, int receiveBufferBytes)
    {
        Number = number;
        Name = name;
        Incarnation = incarnation;
        Control = control;
        Data = data;
        ReceiveBufferBytes = receiveBufferBytes;
    }

    /// <summary>The node's number; <see cref="NodeNumber.Key"/> is what datagrams carry.</summary>
    public NodeNumber Number { get; }

    /// <summary>The node's name: for people.</summary>
    public string Name { get; }

    /// <summary>Tells two lives on one address apart; rises.</summary>
    public ulong Incarnation { get; }

    /// <summary>Where tokens, acknowledgements, NAKs and pulls reach the node.</summary>
    public NetEndpoint Control { get; }

    /// <summary>Where repairs, and data carried by unicast, reach the node.</summary>
    public NetEndpoint Data { get; }

    /// <summary>The receive buffer of the node's data sockets, in the kernel's own accounting.</summary>
    public int ReceiveBufferBytes { get; }

    /// <summary>The longest datagram that the node's interface takes, header included; 0: of any length.</summary>
    public int LongestDatagram { get; init; }

    /// <summary>True once the node is gone from the cluster: its data, its repairs and its words count no more.</summary>
    public bool IsRemoved { get; set; }

    /// <summary>
    /// True when a datagram can have been sent by this node: unicast comes from the endpoint that its kind demands, multicast, which leaves by a
    /// socket of its own for each region view, from the node's address. Over loopback a node has more addresses than one; there all of them count.
    /// </summary>
    /// <param name="kind">The datagram's kind.</param>
    /// <param name="arrival">How it came.</param>
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

    private bool IsHere(uint address) => address == Data.Address || ((address >> 24) == Loopback && (Data.Address >> 24) == Loopback);

    /// <inheritdoc/>
    public override string ToString() => $"{Name}({Number})";
}
