using System.Diagnostics;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Modes;

/// <summary>
/// A member of groups of several modes, each of which has one of the members as its sender. Every mode is sent to by a
/// thread of its own, so none waits for another. A message's head names its group among those of its mode.
/// </summary>
internal static class ModesRole
{
    // A timed group keeps what its contract says: a few times what is sent.
    private const int LeastPacketsPerSecond = 40;
    private static readonly TimeSpan Worth = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan Quiet = Worth + TimeSpan.FromSeconds(0.5);
    private static readonly TimeSpan LongestDrain = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);

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

        var meter = new LoadMeter();
        TrafficSource?[] sources = [.. order.Modes.Select(mode => Source(order, mode))];
        var clock = new RunClock(order.WarmUpSeconds, order.MeasuredSeconds);
        IEnumerable<Task> sending = sources.Select((source, mode) => SendAsync(order, mode, groups[mode], source));
        await Task.WhenAll([MeterAsync(clock, meter), .. sending]);
        await node.FlushAsync();
        await DrainAsync(sinks);
        NodeStatistics statistics = await SettledStatistics.ReadAsync(node);
        channel.TellResult(new ProcessReport
        {
            Process = order.Name,
            Role = order.Role.ToString(),
            Sent = sources.Sum(static source => source?.Sent ?? 0),
            Measured = sources.Sum(static source => source?.Measured ?? 0),
            MeasuredSeconds = order.MeasuredSeconds,
            Delivered = sinks.Sum(static sink => sink.Delivered),
            CpuSeconds = meter.CpuSeconds,
            AllocatedBytes = meter.AllocatedBytes,
            Lateness = sources.Select(static source => source?.Lateness).MaxBy(static lateness => lateness?.P999),
            Modes = [.. sinks.Select((sink, mode) =>
                sink.Report(sources[mode]?.Sent ?? 0, sources[mode]?.Measured ?? 0))],
        }.With(statistics));
        await RoleChannel.StayAsync();
    }

    private static GroupOptions Options(ModeSink sink, ModeOrder order) => new()
    {
        Mode = order.Mode,
        OnMessage = sink.OnMessage,
        SelfDelivery = false,
        BufferBeforeFirstRead = false,
        Lateral = order.Mode != GroupMode.Lateral ? null : new LateralOptions { Deadline = Worth },
        Timed = order.Mode != GroupMode.Timed ? null : new TimedOptions
        {
            TimeToLive = Worth,
            PacketsPerSecond = Math.Max(LeastPacketsPerSecond, (int)(4 * order.Rate)),
        },
    };

    private static int[] OwnGroups(RoleOrder order, ModeOrder mode) =>
        [.. Enumerable.Range(0, mode.Groups).Where(group => mode.SenderOf(group, order.Receivers) == order.Number)];

    private static TrafficSource? Source(RoleOrder order, ModeOrder mode)
    {
        int own = OwnGroups(order, mode).Length;
        var clock = new RunClock(order.WarmUpSeconds, order.MeasuredSeconds);
        return own == 0 ? null : new TrafficSource(own, clock, own * mode.Rate, new LoadMeter());
    }

    private static Task SendAsync(RoleOrder order, int mode, IReadOnlyList<Group> groups, TrafficSource? source)
    {
        if (source is null) return Task.CompletedTask;
        int[] own = OwnGroups(order, order.Modes[mode]);
        // A thread of its own, because a paced sender sleeps in it.
        return Task.Factory.StartNew(
            () => Send(source, groups, own, order.Size), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
    }

    private static void Send(TrafficSource source, IReadOnlyList<Group> groups, int[] own, int size)
    {
        byte[] buffer = new byte[size];
        while (source.TryNext(out MeasuredHeader header))
        {
            int group = own[header.Group];
            (header with { Group = group }).Write(buffer);
            ValueTask sending = groups[group].SendAsync(buffer.AsMemory());
            if (!sending.IsCompletedSuccessfully) sending.AsTask().GetAwaiter().GetResult();
        }
    }

    // The load is of the process, whichever of its threads sends, and if none does.
    private static async Task MeterAsync(RunClock clock, LoadMeter meter)
    {
        while (clock.PhaseAt(Stopwatch.GetTimestamp()) == RunPhase.WarmUp) await Task.Delay(Look);
        meter.Begin();
        while (clock.PhaseAt(Stopwatch.GetTimestamp()) == RunPhase.Measured) await Task.Delay(Look);
        meter.End();
        while (clock.PhaseAt(Stopwatch.GetTimestamp()) is not null) await Task.Delay(Look);
    }

    // What a repair may still bring is waited for, and until what is missing was reported.
    private static async Task DrainAsync(ModeSink[] sinks)
    {
        long since = Stopwatch.GetTimestamp();
        long changed = since;
        long before = -1;
        while (Stopwatch.GetElapsedTime(changed) < Quiet && Stopwatch.GetElapsedTime(since) < LongestDrain)
        {
            long now = sinks.Sum(static sink => sink.Delivered);
            if (now != before) changed = Stopwatch.GetTimestamp();
            before = now;
            await Task.Delay(Look);
        }
    }
}
