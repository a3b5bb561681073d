using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// How long this node's datagrams may be to reach each member. A way is known to be narrow when the member has reported
/// it; all other ways carry the datagrams that the interfaces of both ends take.
/// <para>
/// A way belongs to two nodes and not to a view, so the knowledge outlives views; it is dropped with the member. A
/// member may ask for short repairs without having measured the way from this node: that shortens repairs, not packets.
/// </para>
/// <para>
/// Core thread only. One test per packet sent again while no way is narrow.
/// </para>
/// </summary>
internal sealed class PathSizes
{
    private readonly Dictionary<ulong, Entry> _narrow = [];

    /// <summary>
    /// How many members take shorter datagrams than this node could send, or ask for shorter repairs.
    /// </summary>
    public int Count => _narrow.Count;

    /// <summary>
    /// The longest datagram that reaches a member, as the member has reported; <see cref="int.MaxValue"/> when it has
    /// reported nothing.
    /// </summary>
    public int LongestTo(ulong member) => _narrow.TryGetValue(member, out Entry entry) ? entry.Longest : int.MaxValue;

    /// <summary>The longest repair for a member.</summary>
    public int LongestRepairTo(NodeInfo member)
    {
        int longest = member.LongestDatagram > 0 ? member.LongestDatagram : int.MaxValue;
        if (_narrow.Count == 0 || !_narrow.TryGetValue(member.Number.Key, out Entry entry)) return longest;
        return Math.Min(longest, Math.Min(entry.Longest, entry.LongestRepair));
    }

    /// <summary>The longest datagram that reaches all live members of a view.</summary>
    /// <param name="view">The view.</param>
    /// <param name="self">This node, which need not be reached.</param>
    /// <param name="own">The longest that this node's interface takes.</param>
    public int LongestTo(RegionView view, ulong self, int own)
    {
        int longest = own;
        foreach (NodeInfo member in view.Members)
        {
            if (member.IsRemoved || member.Number.Key == self) continue;
            if (member.LongestDatagram > 0)
            {
                longest = Math.Min(longest, Math.Max(PathLadder.Floor, member.LongestDatagram));
            }
            if (_narrow.Count > 0) longest = Math.Min(longest, LongestTo(member.Number.Key));
        }
        return longest;
    }

    /// <summary>Records a member's report of how long this node's datagrams may be.</summary>
    /// <param name="member">The <see cref="Wire.NodeNumber.Key"/> of the member.</param>
    /// <param name="longest">The longest that arrives; 0: all do.</param>
    /// <returns>True when the limit has changed.</returns>
    public bool Tell(ulong member, int longest)
    {
        int taken = longest == 0 ? int.MaxValue : Math.Max(longest, PathLadder.Floor);
        Entry before = _narrow.GetValueOrDefault(member, Entry.Wide);
        Set(member, before with { Longest = taken });
        return before.Longest != taken;
    }

    /// <summary>Records a member's request for repairs up to a length.</summary>
    /// <param name="member">The <see cref="Wire.NodeNumber.Key"/> of the member.</param>
    /// <param name="longest">The longest; 0: no limit.</param>
    public void AskShort(ulong member, int longest)
    {
        if (longest == 0 && _narrow.Count == 0) return;
        int taken = longest == 0 ? int.MaxValue : Math.Max(longest, PathLadder.Floor);
        Set(member, _narrow.GetValueOrDefault(member, Entry.Wide) with { LongestRepair = taken });
    }

    /// <summary>Drops the knowledge of a member that is gone.</summary>
    public void Forget(ulong member) => _narrow.Remove(member);

    private void Set(ulong member, in Entry entry)
    {
        if (entry == Entry.Wide) _narrow.Remove(member);
        else _narrow[member] = entry;
    }

    private readonly record struct Entry(int Longest, int LongestRepair)
    {
        public static Entry Wide => new(int.MaxValue, int.MaxValue);
    }
}
