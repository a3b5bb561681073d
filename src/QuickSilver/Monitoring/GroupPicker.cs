using System.Runtime.InteropServices;
using QuickSilver.Runtime;

namespace QuickSilver.Monitoring;

/// <summary>
/// Finds the busiest groups of a node since the call before, and those of which most is unread. One pass over all
/// groups, which allocates records for the ones that it finds alone. Core thread only.
/// </summary>
internal sealed class GroupPicker
{
    private readonly PriorityQueue<GroupCore, long> _busiest = new();
    private readonly PriorityQueue<InboxReport, long> _fullest = new();
    private Dictionary<GroupCore, long> _before = [];
    private Dictionary<GroupCore, long> _now = [];

    /// <summary>Looks at all groups. O(groups).</summary>
    /// <param name="groups">The groups; those with reserved names are left out.</param>
    /// <returns>Both lists, the largest first.</returns>
    public (List<GroupStatistics> Busiest, List<InboxReport> Fullest) Pick(IReadOnlyList<GroupCore> groups)
    {
        (_before, _now) = (_now, _before);
        _now.Clear();
        _now.EnsureCapacity(groups.Count);
        for (int index = 0; index < groups.Count; index++)
        {
            GroupCore group = groups[index];
            if (group.Name[0] != '$') Look(group);
        }
        _before.Clear();
        return (Drain(_busiest).ConvertAll(GroupRanking.Read), Drain(_fullest));
    }

    private static List<T> Drain<T>(PriorityQueue<T, long> queue)
    {
        var list = new List<T>(queue.Count);
        while (queue.TryDequeue(out T? one, out _)) list.Add(one);
        list.Reverse();
        return list;
    }

    private static void Keep<T>(PriorityQueue<T, long> queue, T one, long weight, int most)
    {
        if (queue.Count < most) queue.Enqueue(one, weight);
        else queue.EnqueueDequeue(one, weight);
    }

    private void Look(GroupCore group)
    {
        GroupFigures figures = group.Figures;
        long bytes = figures.BytesSent + figures.BytesReceived;
        CollectionsMarshal.GetValueRefOrAddDefault(_now, group, out _) = bytes;
        Keep(_busiest, group, bytes - _before.GetValueOrDefault(group), SnapshotLimits.Groups);
        (long messages, long unread) = GroupRanking.ReadUnread(group);
        if (unread > 0)
            Keep(_fullest, new InboxReport(group.Name, messages, unread), unread, SnapshotLimits.Inboxes);
    }
}
