using System.Numerics;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The server's record of one group, for as long as anything names it. Message numbers of a group outlive its members'
/// sessions, and its mode is fixed.
/// </summary>
/// <param name="counter">Counter of the group's id.</param>
/// <param name="name">The group's name.</param>
/// <param name="mode">The group's mode.</param>
internal sealed class ServerGroup(uint counter, string name, byte mode)
{
    // The first 64 slots, which are all there are in most clusters.
    private ulong _notified;

    // What few groups have; null without any of it.
    private Rarities? _rare;

    /// <summary>Counter of the group's id.</summary>
    public uint Counter { get; } = counter;

    /// <summary>The group's name.</summary>
    public string Name { get; } = name;

    /// <summary>The group's mode.</summary>
    public byte Mode { get; } = mode;

    /// <summary>The multicast address of a hybrid group; none for others.</summary>
    public NetEndpoint Address
    {
        get => _rare?.Address ?? default;
        init
        {
            if (!value.IsNone) Rare.Address = value;
        }
    }

    /// <summary>The index by which to release the address; -1: there is none to release.</summary>
    public int AddressIndex
    {
        get => _rare?.AddressIndex ?? -1;
        init
        {
            if (value >= 0) Rare.AddressIndex = value;
        }
    }

    /// <summary>Its place among the groups with addresses.</summary>
    public int AddressedAt
    {
        get => _rare?.AddressedAt ?? 0;
        set => Rare.AddressedAt = value;
    }

    /// <summary>
    /// Number of references: regions with nodes or unretired views, nodes that publish to it, joins that wait, views of
    /// a former server.
    /// </summary>
    public int Uses { get; set; }

    /// <summary>
    /// The node that first requested the group. It counts in that node's share of the table until the group is
    /// forgotten. Null when it was taken over.
    /// </summary>
    public ServerNode? Maker { get; init; }

    /// <summary>
    /// True when it was taken over from a former server: any node of that server may have been in it.
    /// </summary>
    public bool IsInherited { get; set; }

    /// <summary>
    /// The regions with nodes that have it: a <see cref="ServerRegion"/>, or a list of several; null without any.
    /// Written by <see cref="RegionCalculator"/>.
    /// </summary>
    internal object? Regions { get; set; }

    /// <summary>
    /// Counter of the step that last changed its members, which is the number of its view; 0 while it has had none.
    /// </summary>
    public ulong ChangedIn { get; set; }

    /// <summary>The nodes that publish to it.</summary>
    public IReadOnlyList<ServerNode> Publishers => _rare?.Publishers ?? (IReadOnlyList<ServerNode>)[];

    private Rarities Rare => _rare ??= new Rarities();

    /// <summary>Adds a node that publishes to it.</summary>
    public void AddPublisher(ServerNode node) => (Rare.Publishers ??= []).Add(node);

    /// <summary>Removes a node that published to it.</summary>
    public void RemovePublisher(ServerNode node)
    {
        if (_rare?.Publishers is not { } publishers || !publishers.Remove(node) || publishers.Count > 0) return;
        _rare.Publishers = null;
        if (_rare.IsEmpty) _rare = null;
    }

    /// <summary>Notes that the node of a slot has been in it.</summary>
    public void Note(int slot)
    {
        if (slot < 64) _notified |= 1UL << slot;
        else (Rare.NotifiedBeyond ??= new NodeBits()).Add(slot);
    }

    /// <summary>
    /// The first slot, not below <paramref name="from"/>, of a node that has been in it; -1 when there is none. Some of
    /// them may belong to other nodes by now.
    /// </summary>
    public int NextNoted(int from)
    {
        ulong rest = from < 64 ? _notified & (ulong.MaxValue << from) : 0;
        return rest != 0 ? BitOperations.TrailingZeroCount(rest) : _rare?.NotifiedBeyond?.Next(from) ?? -1;
    }

    private sealed class Rarities
    {
        public NodeBits? NotifiedBeyond;
        public List<ServerNode>? Publishers;
        public NetEndpoint Address;
        public int AddressIndex = -1;
        public int AddressedAt;

        public bool IsEmpty => NotifiedBeyond is null && Publishers is null && Address.IsNone && AddressIndex < 0;
    }
}
