using System.Diagnostics;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Roles;

/// <summary>A started node that waits for a word, and then joins many groups at once, with all others.</summary>
internal static class HerdRole
{
    /// <summary>The groups of a member: a window over all of them, so that neighbours share most of theirs.</summary>
    public static IReadOnlyList<int> GroupsOf(int member, int members, int groups, int all)
    {
        int first = (int)((long)member * all / members);
        return [.. Enumerable.Range(0, groups).Select(index => (first + index) % all)];
    }

    /// <summary>Joins at the word, waits until everybody is where it belongs, and tells when.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        int[] sizes = Sizes(order);
        IReadOnlyList<int> own = GroupsOf(order.Number, order.Receivers, order.Groups, order.AllGroups);
        if (order.IsWarm)
        {
            IReadOnlyList<Group> warm = await node.JoinManyAsync(["warm", $"warm-{order.Number}"]);
            await node.LeaveManyAsync(warm);
        }
        NodeStatistics before = await SettledStatistics.ReadAsync(node);
        var meter = new LoadMeter();
        channel.TellReady();

        long go = await channel.Go;
        meter.Begin();
        double started = Stopwatch.GetElapsedTime(go).TotalSeconds;
        IReadOnlyList<Group> groups = await node.JoinManyAsync(own.Select(group => $"g{group}"));
        double joined = Stopwatch.GetElapsedTime(go).TotalSeconds;
        for (int index = 0; index < groups.Count; index++) await groups[index].WaitForMembersAsync(sizes[own[index]]);
        double complete = Stopwatch.GetElapsedTime(go).TotalSeconds;
        meter.End();

        NodeStatistics after = await SettledStatistics.ReadAsync(node);
        var report = new ProcessReport
        {
            Process = order.Name,
            Role = order.Role.ToString(),
            MeasuredSeconds = complete,
            CpuSeconds = meter.CpuSeconds,
            AllocatedBytes = meter.AllocatedBytes,
            PeakMemoryBytes = ProcessUsage.Now().PeakMemoryBytes,
            Herd = new HerdReport(started, joined, complete, after.ViewChanges - before.ViewChanges),
        };
        channel.TellResult(report.With(after));
        await RoleChannel.StayAsync();
    }

    private static int[] Sizes(RoleOrder order)
    {
        int[] sizes = new int[order.AllGroups];
        for (int member = 0; member < order.Receivers; member++)
        {
            foreach (int group in GroupsOf(member, order.Receivers, order.Groups, order.AllGroups)) sizes[group]++;
        }
        return sizes;
    }
}
