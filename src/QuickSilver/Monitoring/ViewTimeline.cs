using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using ProtocolRegionView = QuickSilver.Protocol.Membership.RegionView;

namespace QuickSilver.Monitoring;

/// <summary>The last changes of views that concerned the node, newest first. Core thread only.</summary>
internal sealed class ViewTimeline
{
    private readonly LinkedList<ViewChangeReport> _changes = [];

    /// <summary>The changes as a list that does not change.</summary>
    public List<ViewChangeReport> ToList() => [.. _changes];

    /// <summary>Forgets all changes.</summary>
    public void Clear() => _changes.Clear();

    /// <summary>Notes a change. O(members of the views that begin and end, and the node's groups).</summary>
    public void OnStepInstalled(InstalledStep step)
    {
        if (step.Opened.Count + step.Superseded.Count == 0) return;
        HashSet<ulong> before = KeysOf(step.Superseded);
        HashSet<ulong> after = KeysOf(step.Opened);
        _changes.AddFirst(new ViewChangeReport
        {
            Time = TimeProvider.System.GetUtcNow(),
            Number = step.Number.Counter,
            GroupCount = step.Changed.Count,
            Joined = NamesOf(step.Opened, before),
            Left = NamesOf(step.Superseded, after),
        });
        if (_changes.Count > SnapshotLimits.Views) _changes.RemoveLast();
    }

    private static HashSet<ulong> KeysOf(IReadOnlyList<ProtocolRegionView> views)
    {
        var keys = new HashSet<ulong>();
        foreach (ProtocolRegionView view in views)
        {
            foreach (NodeInfo member in view.Members) keys.Add(member.Number.Key);
        }
        return keys;
    }

    private static List<string> NamesOf(IReadOnlyList<ProtocolRegionView> views, HashSet<ulong> without)
    {
        var names = new List<string>();
        foreach (ProtocolRegionView view in views)
        {
            foreach (NodeInfo member in view.Members)
            {
                if (names.Count == SnapshotLimits.NamesOfView) return names;
                if (without.Add(member.Number.Key)) names.Add(member.Name);
            }
        }
        return names;
    }
}
