using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>A cluster view that the test writes.</summary>
internal sealed class SendCluster(NodeInfo self) : ClusterView
{
    private readonly Dictionary<GroupId, GroupInfo> _groups = [];

    public List<RegionView> Current { get; } = [];

    public StepNumber Step { get; set; }

    public override StepNumber Installed => Step;

    public override NodeInfo? Self => self;

    public override RegionView? Own => Current.Find(view => view.IndexOf(self.Number.Key) >= 0);

    public override IEnumerable<RegionView> Views => Current;

    public void Join(GroupInfo group) => _groups[group.Id] = group;

    public void Leave(GroupInfo group) => _groups.Remove(group.Id);

    public override NodeInfo? FindNode(ulong key) => null;

    public override GroupInfo? FindGroup(GroupId id) => _groups.GetValueOrDefault(id);

    public override IReadOnlyList<RegionView> ViewsOf(GroupId group) =>
        [.. Current.Where(view => view.Region.Contains(group)).OrderBy(view => view.Region.Id)];

    public override StepNumber GroupViewOf(GroupId group) => Step;
}
