using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>A cluster view that the test writes.</summary>
internal sealed class SendCluster(NodeInfo self) : ClusterView
{
    private readonly Dictionary<GroupId, GroupInfo> _groups = [];

    public List<RegionView> Current { get; } = [];

    public StepNumber Step { get; set; }

    /// <summary>The nodes that can be found by their keys.</summary>
    public NodeInfo[] Known { get; set; } = [];

    public override StepNumber Installed => Step;

    public override NodeInfo? Self => self;

    public override GroupLayout Layout
    {
        get
        {
            RegionView? own = Current.FindLast(view => view.IndexOf(self.Number.Key) >= 0);
            GroupId[] ids = own is null ? [] : [.. own.Region.Groups];
            return new GroupLayout(
                Step,
                own,
                own?.Region.Groups ?? default,
                [.. Current.OrderBy(view => view.Region.Id)],
                Array.ConvertAll(ids, id => _groups.GetValueOrDefault(id)),
                Array.ConvertAll(ids, _ => Step.Counter));
        }
    }

    public void Join(GroupInfo group) => _groups[group.Id] = group;

    public void Leave(GroupInfo group) => _groups.Remove(group.Id);

    public override NodeInfo? FindNode(ulong key) => Array.Find(Known, node => node.Number.Key == key);
}
