namespace QuickSilver.Testing.Network;

/// <summary>
/// The network between the nodes: every node hangs with one interface on one switch. A datagram is serialised onto its
/// sender's interface, travels a directed link to each receiver, waits at the switch port of the receiver, and lands in
/// the receive buffer of a socket.
/// </summary>
internal sealed record NetworkModel
{
    /// <summary>Every link, unless overridden.</summary>
    public LinkModel Link { get; init; } = new();

    /// <summary>Links that differ from <see cref="Link"/>; of several that fit one link the last counts.</summary>
    public IReadOnlyList<LinkOverride> Overrides { get; init; } = [];

    /// <summary>Bits per second of every node's interface, in each direction; 0: no limit.</summary>
    public long Bandwidth { get; init; } = 1_000_000_000;

    /// <summary>Bytes that may wait for a node's interface before sends are refused as
    /// <see cref="Protocol.Flow.Transports.SendOutcome.Busy"/>.</summary>
    public int SendBufferBytes { get; init; } = 1 << 20;

    /// <summary>Bytes that may wait at the switch port of a receiver; what comes on top is dropped.</summary>
    public int PortBufferBytes { get; init; } = 1 << 20;

    /// <summary>Receive buffer of each data socket, as the kernel counts: see
    /// <see cref="Protocol.Flow.Transports.KernelCharge"/>.</summary>
    public int ReceiveBufferBytes { get; init; } = 8 << 20;

    /// <summary>Receive buffer of the control socket.</summary>
    public int ControlBufferBytes { get; init; } = 8 << 20;

    /// <summary>Datagrams longer than this vanish on the way, headers of UDP and IP not counted.</summary>
    public int MaxDatagramBytes { get; init; } = 65_507;

    /// <summary>The longest datagram that each machine's interface takes, by its index; longer ones to or from it
    /// vanish, and its node says so at the start. A machine without an entry takes any.</summary>
    public IReadOnlyList<int> Interfaces { get; init; } = [];

    /// <summary>The longest datagram the nodes send:
    /// <see cref="Protocol.Flow.Transports.TransportFacts.SlotBytes"/>.</summary>
    public int SlotBytes { get; init; } = 1_400;

    /// <summary>The longest train the nodes send, in datagrams.</summary>
    public int TrainDatagrams { get; init; } = 32;

    /// <summary>True: the network carries multicast; false: every region is carried by unicast.</summary>
    public bool Multicast { get; init; } = true;

    /// <summary>True: nodes and groups have IPv6 addresses; false: IPv4 ones.</summary>
    public bool IPv6 { get; init; }

    /// <summary>Blocks of 64 KiB of the memory that each node shares with the others, as if all ran on one machine; 0:
    /// none is shared. Needs multicast.</summary>
    public int SharedBlocks { get; init; }

    /// <summary>Time from joining an address until its datagrams come.</summary>
    public TimeSpan MulticastJoinDelay { get; init; } = TimeSpan.FromMilliseconds(1);

    /// <summary>True: a node gets back what it multicasts to an address it receives itself.</summary>
    public bool MulticastLoopback { get; init; } = true;

    /// <summary>True: datagrams of equal length from one node that wait in a socket are read in one piece, as by a
    /// kernel that coalesces; false: one read each.</summary>
    public bool CoalesceReads { get; init; } = true;

    /// <summary>True: packets carry a checksum of their payload; without it damage to payloads is not noticed, so
    /// <see cref="LinkModel.Corruption"/> must be 0.</summary>
    public bool ChecksumPayloads { get; init; } = true;
}
