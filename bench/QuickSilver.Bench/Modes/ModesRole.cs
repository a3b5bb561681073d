using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Modes;

/// <summary>A member of groups of several modes, each of which has one of the members as its sender.</summary>
internal static class ModesRole
{
    // A timed group keeps what its contract says: a few times what is sent.
    private const int LeastPacketsPerSecond = 40;
    private static readonly TimeSpan Worth = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan Quiet = Worth + TimeSpan.FromSeconds(0.5);

    /// <summary>Joins, waits for everybody, sends its part, and reports when nothing comes any more.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        ModeSink[] sinks = [.. order.Modes.Select(mode => new ModeSink(mode, order.Size))];
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        var groups = new IReadOnlyList<Group>[sinks.Length];
        for (int mode = 0; mode < sinks.Length; mode++)
        {
            ModeOrder own = order.Modes[mode];
            groups[mode] = await node.JoinManyAsync(
                Enumerable.Range(0, own.Groups).Select(own.NameOf), Options(sinks[mode], own));
        }
        foreach (Group group in groups.SelectMany(static groups => groups))
            await group.WaitForMembersAsync(order.Receivers);
        channel.TellReady();
        await channel.Go;

        var traffic = new ModesTraffic(order);
        await traffic.SendAsync((mode, group, message) =>
        {
            ValueTask sending = groups[mode][group].SendAsync(message.AsMemory());
            if (!sending.IsCompletedSuccessfully) sending.AsTask().GetAwaiter().GetResult();
        });
        await node.FlushAsync();
        // What a repair may still bring is waited for, and until what is missing was reported.
        await Drain.AwaitAsync(() => sinks.Sum(static sink => sink.Delivered), Quiet);
        NodeStatistics statistics = await SettledStatistics.ReadAsync(node);
        channel.TellResult(Report(order, traffic, sinks).With(statistics));
        await RoleChannel.StayAsync();
    }

    /// <summary>What a member sent and got.</summary>
    public static ProcessReport Report(RoleOrder order, ModesTraffic traffic, IReadOnlyList<ModeSink> sinks) => new()
    {
        Process = order.Name,
        Role = order.Role.ToString(),
        Sent = traffic.Sent,
        Measured = traffic.Measured,
        MeasuredSeconds = order.MeasuredSeconds,
        Delivered = sinks.Sum(static sink => sink.Delivered),
        CpuSeconds = traffic.CpuSeconds,
        AllocatedBytes = traffic.AllocatedBytes,
        Lateness = traffic.Lateness,
        Modes = traffic.Report(sinks),
    };

    private static GroupOptions Options(ModeSink sink, ModeOrder order) => new()
    {
        Mode = order.Mode switch
        {
            GroupMode.Lateral => new LateralMode { Deadline = Worth },
            GroupMode.Timed => new TimedMode
            {
                TimeToLive = Worth,
                PacketsPerSecond = Math.Max(LeastPacketsPerSecond, (int)(4 * order.Rate)),
            },
            _ => new ReliableMode(),
        },
        OnMessage = sink.OnMessage,
        SelfDelivery = false,
        BufferBeforeFirstRead = false,
    };
}
