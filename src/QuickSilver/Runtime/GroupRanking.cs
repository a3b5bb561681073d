using QuickSilver.Inboxes;

namespace QuickSilver.Runtime;

/// <summary>Ranks the groups of a node for <see cref="QuickSilverNode.GetTopGroupsAsync"/>. The core thread collects
/// the figures, the caller's thread sorts them.</summary>
internal static class GroupRanking
{
    /// <summary>Collects the figures of all groups. On the core thread they form one consistent cut. Elsewhere, when
    /// the core hangs, each number is valid but they may stem from different moments.</summary>
    public static List<GroupStatistics> Collect(IEnumerable<GroupCore> groups)
    {
        var all = new List<GroupStatistics>();
        foreach (GroupCore group in groups) all.Add(Read(group));
        return all;
    }

    /// <summary>Collects the figures of the groups of handles, when the core thread does not answer.</summary>
    public static List<GroupStatistics> Collect(IEnumerable<GroupHandle> handles)
    {
        var groups = new HashSet<GroupCore>();
        foreach (GroupHandle handle in handles)
        {
            if (handle.Core is { } group) groups.Add(group);
        }
        return Collect(groups);
    }

    /// <summary>Returns the largest groups, largest first, equal ones by name; sorts the list in place.</summary>
    public static IReadOnlyList<GroupStatistics> Top(List<GroupStatistics> all, int count, GroupSort by)
    {
        all.Sort((left, right) =>
        {
            int order = Key(right, by).CompareTo(Key(left, by));
            return order != 0 ? order : string.CompareOrdinal(left.Name, right.Name);
        });
        if (all.Count > count) all.RemoveRange(count, all.Count - count);
        return all.AsReadOnly();
    }

    /// <summary>What is unread in all handles on a group: messages, and bytes with those of undisposed
    /// leases.</summary>
    public static (long Messages, long Bytes) ReadUnread(GroupCore group)
    {
        long messages = 0;
        long bytes = 0;
        foreach (GroupHandle handle in group.Handles)
        {
            messages += handle.Inbox?.Messages ?? 0;
            bytes += handle.Inbox?.Bytes ?? 0;
        }
        return (messages, bytes);
    }

    /// <summary>The figures of one group.</summary>
    public static GroupStatistics Read(GroupCore group)
    {
        (long messages, long bytes) = ReadUnread(group);
        GroupFigures figures = group.Figures;
        GroupView? view = group.View;
        return new GroupStatistics
        {
            Name = group.Name,
            Mode = group.Mode,
            IsPublisher = group.IsPublisher,
            ViewNumber = view?.Number ?? 0,
            Members = view?.MemberCount ?? 0,
            Regions = view?.ProtocolRegions.Count ?? 0,
            MessagesSent = figures.MessagesSent,
            MessagesReceived = figures.MessagesReceived,
            BytesSent = figures.BytesSent,
            BytesReceived = figures.BytesReceived,
            PendingBytes = group.Local?.PendingBytes ?? 0,
            InboxMessages = messages,
            InboxBytes = bytes,
            MessagesLost = figures.MessagesLost,
            MessagesDropped = figures.MessagesDropped,
        };
    }

    private static long Key(GroupStatistics group, GroupSort by) => by switch
    {
        GroupSort.BytesReceived => group.BytesReceived,
        GroupSort.BytesSent => group.BytesSent,
        GroupSort.MessagesReceived => group.MessagesReceived,
        GroupSort.MessagesSent => group.MessagesSent,
        GroupSort.PendingBytes => group.PendingBytes,
        GroupSort.InboxBytes => group.InboxBytes,
        GroupSort.MessagesLost => group.MessagesLost,
        GroupSort.MessagesDropped => group.MessagesDropped,
        _ => throw new ArgumentOutOfRangeException(nameof(by)),
    };
}
