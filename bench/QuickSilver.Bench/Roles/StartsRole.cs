using System.Diagnostics;
using QuickSilver.Bench.Reports;

namespace QuickSilver.Bench.Roles;

/// <summary>
/// A member that starts and joins while its machine is overloaded. It knows "count", answered by "counted" when it sees
/// as many members as the order names, or fewer by one for each such word before, and all of them hold a message of
/// its; and "leave", answered by its findings.
/// </summary>
internal static class StartsRole
{
    private const string GroupName = "starts";

    /// <summary>Runs until the process ends.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        ParentDeath.EndWithParent();
        RoleOrder order = channel.Order;
        var limit = TimeSpan.FromSeconds(order.MeasuredSeconds);
        var options = new QuickSilverOptions { ClusterName = order.Cluster, NodeName = order.Name };
        options.Membership.Port = order.MembershipPort;
        options.Membership.JoinTimeout = limit;
        options.Security.UseRunKey(order.Key);
        long begun = Stopwatch.GetTimestamp();
        await using QuickSilverNode node = await QuickSilverNode.StartAsync(options);
        double started = Stopwatch.GetElapsedTime(begun).TotalSeconds;
        int evictions = 0;
        node.Events += (_, happened) =>
        {
            if (happened is NodeStateChanged { After: NodeState.Evicted }) Interlocked.Increment(ref evictions);
        };
        Group group = await node.JoinAsync(GroupName).WaitAsync(limit);
        int members = order.Receivers;
        channel.TellReady();
        await foreach (string command in channel.Commands.ReadAllAsync())
        {
            if (command == "leave") break;
            while (group.View.MemberCount != members)
            {
                if (group.Completion.IsCompleted) await group.Completion;
                await Task.Delay(TimeSpan.FromMilliseconds(20));
            }
            await group.SendConfirmedAsync(new byte[8]).WaitAsync(limit);
            members--;
            channel.TellDone("counted");
        }
        await group.DisposeAsync();
        channel.TellResult(new ProcessReport
        {
            Process = order.Name,
            Role = order.Role.ToString(),
            Starts = new StartsReport(started, evictions),
        });
        await RoleChannel.StayAsync();
    }
}
