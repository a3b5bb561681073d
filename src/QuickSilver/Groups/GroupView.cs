using System.Text;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;
using ProtocolRegionView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver;

/// <summary>
/// The members of a group between two changes. Immutable. Equal numbers mean equal members on every node, but for
/// transitional views (<see cref="IsTransitional"/>). The lists are built only when they are read.
/// </summary>
public sealed class GroupView
{
    private IReadOnlyList<ProtocolRegionView> _regions;
    private readonly bool _inMemory;
    private readonly GroupId _id;
    private readonly NetEndpoint _address;
    private IReadOnlyList<Member>? _members;
    private IReadOnlyList<RegionView>? _regionViews;

    /// <summary>Creates a view without a group, for tests of code that reads views.</summary>
    /// <param name="groupName">Name of the group.</param>
    /// <param name="number">Number of the view.</param>
    /// <param name="members">The members, in any order.</param>
    public GroupView(string groupName, ulong number, IEnumerable<Member> members)
    {
        ArgumentNullException.ThrowIfNull(groupName);
        ArgumentNullException.ThrowIfNull(members);
        GroupName = groupName;
        Number = number;
        _regions = [];
        _regionViews = [];
        _members = Array.AsReadOnly([.. members.OrderBy(static member => member.Id)]);
        MemberCount = _members.Count;
    }

    internal GroupView(
        string groupName,
        GroupId id,
        StepNumber step,
        GroupMode mode,
        IReadOnlyList<ProtocolRegionView> regions,
        bool inMemory,
        NetEndpoint address = default)
    {
        GroupName = groupName;
        Epoch = step.Epoch.Term;
        Number = step.Counter;
        Mode = mode;
        _regions = regions;
        _inMemory = inMemory;
        _address = address;
        _id = id;
        foreach (ProtocolRegionView region in regions) MemberCount += region.CountMembers(id);
    }

    internal GroupView(GroupView regular, IReadOnlyList<NodeInfo> together)
        : this(regular.GroupName, regular.Number, together.Select(Member.Of))
    {
        Epoch = regular.Epoch;
        Mode = regular.Mode;
        _address = regular._address;
        _inMemory = regular._inMemory;
        _regionViews = regular.Regions;
        IsTransitional = true;
    }

    /// <summary>The name of the group.</summary>
    public string GroupName { get; }

    /// <summary>Epoch of the membership server that made the view. The pair (Epoch, Number) never decreases, so it
    /// serves as a fencing token.</summary>
    public ulong Epoch { get; }

    /// <summary>Number of the view within <see cref="Epoch"/>. It increases, not necessarily by one.</summary>
    public ulong Number { get; }

    /// <summary>The delivery guarantee of the group.</summary>
    public GroupMode Mode { get; }

    /// <summary>True for a view between two others, in groups of <see cref="GroupMode.Ordered"/>. It has the number of
    /// the view before, and those of its members that go on together. A message of level
    /// <see cref="OrderedLevel.Safe"/> that comes before it is held by every member of the view before that has not
    /// failed. One that comes after it is held by every member of this view, until the next one begins. It is told by
    /// <see cref="ViewChanged"/> alone, and only where such a message follows: <see cref="MessageSender.View"/> is
    /// never transitional. Source: the transitional configuration of extended virtual synchrony, told there at each
    /// change.</summary>
    public bool IsTransitional { get; }

    /// <summary>The multicast address and port of a group with <see cref="ReliableMode.Hybrid"/>; empty for other
    /// groups, and where the cluster has no multicast. <see cref="NodeStatistics.HybridFallbacks"/> counts the messages
    /// that were not sent there.</summary>
    public string HybridAddress => _address.IsNone || _inMemory ? "" : _address.ToString();

    /// <summary>Number of members, this node included.</summary>
    public int MemberCount { get; }

    /// <summary>The members, sorted by <see cref="Member.Id"/>. The first read builds the list, O(members log
    /// members).</summary>
    public IReadOnlyList<Member> Members => Volatile.Read(ref _members) ?? BuildMembers();

    /// <summary>The region views that make up the group. The first read builds the list.</summary>
    public IReadOnlyList<RegionView> Regions => Volatile.Read(ref _regionViews) ?? BuildRegions();

    internal IReadOnlyList<ProtocolRegionView> ProtocolRegions => _regions;

    /// <summary>Builds the lists and lets go of what they are built from: views of regions with all their groups. Any
    /// thread.</summary>
    internal void Settle()
    {
        BuildMembers();
        BuildRegions();
        // A thread that builds at the same time gets the lists that are there.
        Volatile.Write(ref _regions, []);
    }

    /// <summary>Returns the member with an id, or null. O(log members).</summary>
    public Member? Find(MemberId id)
    {
        IReadOnlyList<Member> members = Members;
        int low = 0;
        int high = members.Count - 1;
        while (low <= high)
        {
            int middle = (low + high) >>> 1;
            int order = members[middle].Id.CompareTo(id);
            if (order == 0) return members[middle];
            if (order < 0) low = middle + 1;
            else high = middle - 1;
        }
        return null;
    }

    /// <summary>Name, number and members of the view, for logs: "greetings view 3: a, b, c", or "greetings transitional
    /// view 3: a, b".</summary>
    public override string ToString()
    {
        var text = new StringBuilder().Append(GroupName)
            .Append(IsTransitional ? " transitional view " : " view ").Append(Number).Append(": ");
        IReadOnlyList<Member> members = Members;
        for (int index = 0; index < members.Count; index++)
        {
            if (index > 0) text.Append(", ");
            text.Append(members[index].Name);
        }
        return text.ToString();
    }

    /// <summary>Whether the view has other members than the one before, or one of the two is transitional.
    /// O(members).</summary>
    /// <param name="before">The view before; null for none.</param>
    internal bool DiffersFrom(GroupView? before)
    {
        if (ReferenceEquals(before, this)) return false;
        if (before is null || before.MemberCount != MemberCount || before.IsTransitional != IsTransitional) return true;
        IReadOnlyList<Member> these = Members;
        IReadOnlyList<Member> those = before.Members;
        for (int index = 0; index < these.Count; index++)
            if (these[index].Id != those[index].Id) return true;
        return false;
    }

    // Two threads may build at once: both build the same list, and the first result stays.
    private IReadOnlyList<Member> BuildMembers()
    {
        var members = new List<Member>(MemberCount);
        foreach (ProtocolRegionView region in Volatile.Read(ref _regions))
        {
            foreach (NodeInfo node in region.MembersOf(_id)) members.Add(Member.Of(node));
        }
        members.Sort(static (left, right) => left.Id.CompareTo(right.Id));
        IReadOnlyList<Member> built = members.AsReadOnly();
        return Interlocked.CompareExchange(ref _members, built, null) ?? built;
    }

    private IReadOnlyList<RegionView> BuildRegions()
    {
        IReadOnlyList<ProtocolRegionView> regions = Volatile.Read(ref _regions);
        var views = new RegionView[regions.Count];
        for (int index = 0; index < views.Length; index++)
        {
            ProtocolRegionView region = regions[index];
            bool multicast = !region.Multicast.IsNone;
            Carrier carrier = _inMemory ? Carrier.InMemory : multicast ? Carrier.Multicast : Carrier.Unicast;
            string address = carrier == Carrier.Multicast ? region.Multicast.ToString() : "";
            int members = region.CountMembers(_id);
            views[index] = new RegionView(
                region.Region.Id.Counter,
                region.Number.Counter,
                carrier,
                address,
                members,
                region.Members.Length - members);
        }
        IReadOnlyList<RegionView> built = Array.AsReadOnly(views);
        return Interlocked.CompareExchange(ref _regionViews, built, null) ?? built;
    }
}
