namespace QuickSilver.Protocol.Wire;

/// <summary>
/// A sequence of counters in which a node seals datagrams of a view, with a key of its own. See
/// <see cref="DatagramKinds.LaneOf"/>.
/// </summary>
internal enum SealLane : byte
{
    /// <summary>Packets; the counter is the packet's sequence.</summary>
    Data = 0,

    /// <summary>What a sender says of its stream.</summary>
    Sender = 1,

    /// <summary>What members say to one sender: its key, the member's counters.</summary>
    Feedback = 2,

    /// <summary>What members say to each other.</summary>
    Member = 3,

    /// <summary>Packets that are sent again, by their sender or by a peer: keys and counters are of the one who
    /// repairs.</summary>
    Repair = 4,

    /// <summary>Answers of a node about the ways from it.</summary>
    Path = 5,

    /// <summary>Packets of lateral and timed groups, and what their senders announce.</summary>
    Mode = 6,

    /// <summary>Keys of packets that stand for packets of several regions (<see cref="SealedRegion"/>).</summary>
    Hybrid = 7,

    /// <summary>Not sealed.</summary>
    None = 255,
}
