using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Repairs;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Dissemination.Carriers;

/// <summary>
/// How long this node's datagrams may be to reach each member. A way is known to be narrow when the member has said so; ways to all others take what
/// the interfaces of both ends do.
/// <para>
/// A way belongs to two nodes and not to a view, so what is known outlives views; it goes with the member. A member may ask for short repairs without
/// having measured the way from this node: that shortens repairs, not packets.
/// </para>
/// Core thread only. One test per packet sent again while no way is narrow.
/// </summary>
public sealed class PathSizes
{
    private readonly Dictionary<ulong, Entry> _narrow = [];

    /// <summary>How many members take shorter datagrams than this node could send, or ask for shorter repairs.</summary>
    public int Count => _narrow.Count;

    /// <summary>The longest datagram that reaches a member, as the member has said; <see cref="int.MaxValue"/> when it has said nothing.</summary>
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
            if (member.LongestDatagram > 0) longest = Math.Min(longest, Math.Max(PathLadder.Floor, member.LongestDatagram));
            if (_narrow.Count > 0) longest = Math.Min(longest, LongestTo(member.Number.Key));
        }
        return longest;
    }

    /// <summary>A member has said how long this node's datagrams may be.</summary>
    /// <param name="member">The <see cref="Wire.NodeNumber.Key"/> of the member.</param>
    /// <param name="longest">The longest that arrives; 0: all do.</param>
    /// <returns>True when it is not what it was.</returns>
    public bool Tell(ulong member, int longest)
    {
        int taken = longest == 0 ? int.MaxValue : Math.Max(longest, PathLadder.Floor);
        Entry before = _narrow.GetValueOrDefault(member, Entry.Wide);
        Set(member, before with { Longest = taken });
        return before.Longest != taken;
    }

    /// <summary>A member has asked for repairs that are no longer than this.</summary>
    /// <param name="member">The <see cref="Wire.NodeNumber.Key"/> of the member.</param>
    /// <param name="longest">The longest; 0: of any length.</param>
    public void AskShort(ulong member, int longest)
    {
        if (longest == 0 && _narrow.Count == 0) return;
        int taken = longest == 0 ? int.MaxValue : Math.Max(longest, PathLadder.Floor);
        Set(member, _narrow.GetValueOrDefault(member, Entry.Wide) with { LongestRepair = taken });
    }

    /// <summary>A member is gone.</summary>
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
