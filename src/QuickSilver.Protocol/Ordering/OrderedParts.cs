using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>What the ordered groups of one node share.</summary>
internal sealed class OrderedParts
{
    // What every network carries. Where all members are on one machine datagrams are as long as its slots.
    private const int UsualDatagram = 1428;

    private readonly KeyedSet<uint, OrderedGroup> _groups = new(static group => group.Id.Counter);

    public OrderedParts(ModeContext mode, OrderedCounters counters)
    {
        Mode = mode;
        Counters = counters;
        Memory = new Arena(mode.Pool, BufferOwner.Cache);
        Joined = new Arena(mode.Pool, BufferOwner.Reassembly);
        Views = new ViewsInOrder(this);
    }

    /// <summary>What the stack gives an engine.</summary>
    public ModeContext Mode { get; }

    public OrderedCounters Counters { get; }

    /// <summary>The windows.</summary>
    public RingSettings Settings { get; set; } = new();

    /// <summary>This node's session in the group of all members of the ring; null before and after.</summary>
    public ModeSession? RingSession { get; set; }

    /// <summary>Packets, and datagrams on their way out.</summary>
    public Arena Memory { get; }

    /// <summary>Messages joined from parts.</summary>
    public Arena Joined { get; }

    /// <summary>Places for packets, of rings that are over.</summary>
    public Stack<RingPacket[]> SparePlaces { get; } = [];

    /// <summary>Views of groups that have not begun.</summary>
    public ViewsInOrder Views { get; }

    /// <summary>The ring and packet of the message that is being delivered, for checks.</summary>
    public (Ring Ring, ulong Sequence)? Delivering { get; set; }

    /// <summary>The step that this node sends in.</summary>
    public StepNumber Active { get; set; }

    /// <summary>The ring that the step installed last belongs to.</summary>
    public RingId Installed => RingId.Of(Mode.Cluster.Installed);

    /// <summary>The groups that this node has sessions in, in the order of the first.</summary>
    public KeyedSet<uint, OrderedGroup> Groups => _groups;

    /// <summary>The region views of all members of the ring.</summary>
    public IReadOnlyList<RegionView> RingViews =>
        RingSession is { } session ? Mode.Cluster.ViewsOf(session.Info.Id) : [];

    /// <summary>A group by the counter of its id; null when this node has no session there.</summary>
    public OrderedGroup? FindGroup(uint id) => _groups.TryGet(id, out OrderedGroup? group) ? group : null;

    /// <summary>The region view that a member of the ring is in; null when it is in none.</summary>
    public RegionView? ViewOf(NodeInfo member)
    {
        IReadOnlyList<RegionView> views = RingViews;
        for (int index = 0; index < views.Count; index++)
        {
            if (views[index].IndexOf(member.Number.Key) >= 0) return views[index];
        }
        return null;
    }

    /// <summary>The longest datagram that reaches all members of the ring.</summary>
    public int LongestDatagram()
    {
        int longest = Mode.Transport.Facts.SlotBytes;
        IReadOnlyList<RegionView> views = RingViews;
        for (int index = 0; index < views.Count; index++)
        {
            longest = Math.Min(longest, Mode.Casts.LongestTo(views[index], Mode.SelfKey));
            if (!views[index].Members[0].Data.Address.IsLoopback) longest = Math.Min(longest, UsualDatagram);
        }
        return longest;
    }

    /// <summary>Releases the memory.</summary>
    public void Close()
    {
        Memory.Close();
        Joined.Close();
    }
}
