using System.Diagnostics;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// One ring: the nodes that were in ordered groups, or published to them, from one step to a later one. Its packets
/// have one sequence, from all senders.
/// </summary>
internal sealed class Ring
{
    private readonly Dictionary<ulong, int> _indexes = [];

    /// <summary>Makes a ring.</summary>
    /// <param name="parts">What the ordered groups share.</param>
    /// <param name="id">Its name.</param>
    /// <param name="members">Its members.</param>
    public Ring(OrderedParts parts, RingId id, List<NodeInfo> members)
    {
        members.Sort(static (left, right) => left.Number.Key.CompareTo(right.Number.Key));
        Id = id;
        Members = [.. members];
        for (int index = 0; index < Members.Length; index++) _indexes.Add(Members[index].Number.Key, index);
        Self = IndexOf(parts.Mode.SelfKey);
        Debug.Assert(Self >= 0, "a node is a member of its rings");
        Log = new RingLog(parts.Counters, parts.SparePlaces);
        Turn = new RingTurn(parts.Mode.SelfKey, Log, parts.Settings);
        Delivery = new RingDelivery(parts, this);
        GoOn = new bool[Members.Length];
        Array.Fill(GoOn, true);
    }

    /// <summary>The ring's name.</summary>
    public RingId Id { get; }

    /// <summary>Its members, by key.</summary>
    public NodeInfo[] Members { get; }

    /// <summary>This node's index.</summary>
    public int Self { get; }

    /// <summary>The packets here.</summary>
    public RingLog Log { get; }

    /// <summary>The arithmetic of the token.</summary>
    public RingTurn Turn { get; }

    /// <summary>From packets to messages.</summary>
    public RingDelivery Delivery { get; }

    /// <summary>The members that are in all rings after this one, too.</summary>
    public bool[] GoOn { get; }

    /// <summary>True once all of the ring is delivered here, and nothing more will be.</summary>
    public bool IsConcluded { get; set; }

    /// <summary>The member that the token goes to.</summary>
    public NodeInfo Next => Members[(Self + 1) % Members.Length];

    /// <summary>The member that the token comes from.</summary>
    public NodeInfo Previous => Members[(Self + Members.Length - 1) % Members.Length];

    /// <summary>True when this node makes the token, and keeps it while there is nothing to send.</summary>
    public bool IsLeader => Self == 0;

    /// <summary>The index of a member; -1: no member.</summary>
    public int IndexOf(ulong key) => _indexes.GetValueOrDefault(key, -1);

    /// <summary>A later ring: who is not in it does not go on.</summary>
    public void Keep(Ring later)
    {
        for (int index = 0; index < Members.Length; index++)
            GoOn[index] &= later.IndexOf(Members[index].Number.Key) >= 0;
    }

    /// <summary>Releases the packets.</summary>
    public void Close()
    {
        Log.Close();
        Delivery.Close();
    }
}
