using System.Diagnostics;
using QuickSilver.Bench.Reports;

namespace QuickSilver.Bench.Roles;

/// <summary>Nodes that join thousands of groups: together at one word, or alone and then one by one.</summary>
internal static class JoinsRole
{
    private const int WarmGroups = 100;
    private const int SharedGroups = 1000;
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan Settling = TimeSpan.FromSeconds(2.5);

    /// <summary>Joins at the word with the others, says when all are in, and then waits for one to die.</summary>
    public static async Task RunMemberAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        await WarmAsync(node, $"warm-{order.Number}-");
        Group shared = await node.JoinAsync("shared");
        if (order.Number < 0)
        {
            // It only dies, so that the others have compiled what a death needs.
            channel.TellReady();
            await RoleChannel.StayAsync();
        }
        string[] names = [.. RoleNode.GroupNames(order.Groups).Select(static name => $"many/{name}")];
        channel.TellReady();
        long go = await channel.Go;

        long before = GC.GetTotalMemory(forceFullCollection: true);
        await node.TakeLongestTurnsAsync();
        IReadOnlyList<Group> groups = await node.JoinManyAsync(names);
        double joined = Stopwatch.GetElapsedTime(go).TotalSeconds;
        await UntilAsync(groups, order.Receivers);
        double complete = Stopwatch.GetElapsedTime(go).TotalSeconds;
        double joinTurn = (await node.TakeLongestTurnsAsync()).Core.TotalMilliseconds;
        await Task.Delay(Settling);
        double bytes = (double)(GC.GetTotalMemory(forceFullCollection: true) - before) / order.Groups;

        await node.TakeLongestTurnsAsync();
        channel.TellDone("done");
        await UntilAsync(groups, order.Receivers - 1);
        await Task.Delay(Settling);
        double deathTurn = (await node.TakeLongestTurnsAsync()).Core.TotalMilliseconds;
        if (groups.Any(group => group.View.MemberCount != order.Receivers - 1))
            throw new InvalidOperationException("A group has another number of members.");
        GC.KeepAlive(shared);
        channel.TellResult(new ProcessReport
        {
            Process = order.Name,
            Role = order.Role.ToString(),
            Joins = new JoinsReport(joined, complete, joinTurn, deathTurn, bytes),
        });
        await RoleChannel.StayAsync();
    }

    /// <summary>Joins many groups by one call, then by a call each, leaves them, and changes single ones.</summary>
    public static async Task RunAloneAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        await WarmAsync(node, "warm-");
        channel.TellReady();
        await channel.Go;

        // The application's own part, the list of names, is there before.
        string[] names = [.. RoleNode.GroupNames(order.Groups).Select(static name => $"many/{name}")];
        string[] others = [.. RoleNode.GroupNames(order.Groups).Select(static name => $"others/{name}")];
        await node.TakeLongestTurnsAsync();
        long before = GC.GetTotalMemory(forceFullCollection: true);
        long since = Stopwatch.GetTimestamp();
        IReadOnlyList<Group> groups = await node.JoinManyAsync(names);
        double seconds = Stopwatch.GetElapsedTime(since).TotalSeconds;
        double turn = (await node.TakeLongestTurnsAsync()).Core.TotalMilliseconds;
        await Task.Delay(Settling);
        double bytes = (double)(GC.GetTotalMemory(forceFullCollection: true) - before) / order.Groups;

        since = Stopwatch.GetTimestamp();
        Group[] more = await Task.WhenAll(others.Select(name => node.JoinAsync(name)));
        double parallel = Stopwatch.GetElapsedTime(since).TotalSeconds;
        await node.LeaveManyAsync([.. groups, .. more]);
        groups = [];
        more = [];
        await Task.Delay(Settling);
        long left = GC.GetTotalMemory(forceFullCollection: true) - before;

        JoinsAloneReport report = await ChangeAsync(node, order);
        channel.TellResult(new ProcessReport
        {
            Process = order.Name,
            Role = order.Role.ToString(),
            Alone = report with
            {
                JoinSeconds = seconds,
                BytesPerGroup = bytes,
                ParallelSeconds = parallel,
                LeftBytes = left,
                JoinTurnMillis = turn,
            },
        });
        await RoleChannel.StayAsync();
    }

    // A second node shares a thousand groups with the first, which joins and leaves others meanwhile.
    private static async Task<JoinsAloneReport> ChangeAsync(QuickSilverNode node, RoleOrder order)
    {
        await using QuickSilverNode other = await RoleNode.StartAsync(order with { Name = "other" });
        string[] names = [.. RoleNode.GroupNames(SharedGroups).Select(static name => $"shared/{name}")];
        await other.JoinManyAsync(names);
        IReadOnlyList<Group> shared = await node.JoinManyAsync(names);
        var underWay = new Queue<Task>();
        long changes = 0;
        long early = 0;
        await node.TakeLongestTurnsAsync();
        long begin = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(begin).TotalSeconds is var passed && passed < order.MeasuredSeconds)
        {
            while (underWay.TryPeek(out Task? first) && first.IsCompleted) await underWay.Dequeue();
            long due = Math.Min((long)(passed * order.Rate), changes + order.Groups - underWay.Count);
            for (; changes < due; changes++) underWay.Enqueue(ComeAndGoAsync(node, changes));
            if (early == 0 && passed > order.MeasuredSeconds / 4) early = await SettledBytesAsync(underWay);
            else await Task.Delay(Look);
        }
        long late = await SettledBytesAsync(underWay);
        double seconds = Stopwatch.GetElapsedTime(begin).TotalSeconds;
        (TimeSpan core, TimeSpan host) = await node.TakeLongestTurnsAsync();
        GC.KeepAlive(shared);
        return new JoinsAloneReport(
            0, 0, 0, 0, changes, changes / seconds, early, late, core.TotalMilliseconds, host.TotalMilliseconds, 0);
    }

    private static async Task ComeAndGoAsync(QuickSilverNode node, long number)
    {
        Group group = await node.JoinAsync($"single/{number}");
        await group.DisposeAsync();
    }

    private static async Task<long> SettledBytesAsync(Queue<Task> underWay)
    {
        while (underWay.TryDequeue(out Task? change)) await change;
        await Task.Delay(Settling);
        return GC.GetTotalMemory(forceFullCollection: true);
    }

    private static async Task WarmAsync(QuickSilverNode node, string prefix)
    {
        for (int round = 0; round < 3; round++)
        {
            IReadOnlyList<Group> warm = await node.JoinManyAsync(
                [.. Enumerable.Range(0, WarmGroups).Select(number => $"{prefix}{number}"), "warm"]);
            Group[] single = await Task.WhenAll(
                Enumerable.Range(0, WarmGroups).Select(number => node.JoinAsync($"{prefix}single-{number}")));
            await node.LeaveManyAsync([.. warm, .. single]);
        }
    }

    // A look at every group would be part of what is measured.
    private static async Task UntilAsync(IReadOnlyList<Group> groups, int members)
    {
        foreach (Group group in (Group[])[groups[0], groups[groups.Count / 2], groups[^1]])
        {
            while (group.View.MemberCount != members) await Task.Delay(Look);
        }
    }
}
