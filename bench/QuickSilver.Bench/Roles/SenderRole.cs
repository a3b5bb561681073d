using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Roles;

/// <summary>A member that sends.</summary>
internal static class SenderRole
{
    /// <summary>Joins, waits for the receivers and the word to go, sends the run, and reports when every member holds
    /// all of it.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        IReadOnlyList<Group> groups = await node.JoinManyAsync(
            RoleNode.GroupNames(order.Groups),
            new GroupOptions
            {
                Mode = RoleNode.ModeOf(order),
                SelfDelivery = false,
                BufferBeforeFirstRead = false,
            });
        foreach (Group group in groups) await group.WaitForMembersAsync(order.Receivers + 1);
        EchoMeter? echo = await JoinEchoAsync(node, order);
        TimeSpan joinTurn = (await SettledStatistics.ReadAsync(node)).LongestTurn;
        channel.TellReady();
        await channel.Go;
        using MemoryLog? memory = RoleNode.NoteMemory(order);

        var meter = new LoadMeter();
        var source = new TrafficSource(
            order.Groups, new RunClock(order.WarmUpSeconds, order.MeasuredSeconds), order.Rate, meter)
        {
            Echo = echo,
        };
        await (order.Send switch
        {
            // A thread of its own, because a paced sender sleeps in it.
            SendStyle.Async =>
                RunOnThreadAsync(() => SendAsync(groups, source, order.Size).AsTask().GetAwaiter().GetResult()),
            SendStyle.Try => RunOnThreadAsync(() => TrySend(groups, source, order.Size)),
            _ => FeedAsync(groups, source, order.Size),
        });
        await node.FlushAsync();
        meter.End();

        NodeStatistics statistics = await SettledStatistics.ReadAsync(node);
        channel.TellResult(SenderReport.Of(order, source, meter).With(memory).With(statistics) with
        {
            LongestJoinTurnMillis = joinTurn.TotalMilliseconds,
            Echoes = echo?.Latency,
        });
        await RoleChannel.StayAsync();
    }

    private static async Task<EchoMeter?> JoinEchoAsync(QuickSilverNode node, RoleOrder order)
    {
        if (order.EchoEvery == 0) return null;
        var echo = new EchoMeter(order.Receivers, order.Groups, order.EchoEvery);
        Group group = await node.JoinAsync(EchoMeter.Group, new GroupOptions
        {
            SelfDelivery = false,
            BufferBeforeFirstRead = false,
            OnMessage = (in MessageRef message) => echo.OnEcho(MeasuredHeader.Read(message.Payload)),
        });
        await group.WaitForMembersAsync(order.Receivers + 1);
        return echo;
    }

    private static async ValueTask SendAsync(IReadOnlyList<Group> groups, TrafficSource source, int size)
    {
        byte[] buffer = new byte[size];
        while (source.TryNext(out MeasuredHeader header))
        {
            header.Write(buffer);
            ValueTask sending = groups[header.Group].SendAsync(buffer.AsMemory());
            // A paced sender stays on its thread: it sleeps, which a thread of the pool must not.
            if (source.IsPaced && !sending.IsCompleted) sending.AsTask().GetAwaiter().GetResult();
            else await sending;
        }
    }

    private static void TrySend(IReadOnlyList<Group> groups, TrafficSource source, int size)
    {
        byte[] buffer = new byte[size];
        while (source.TryNext(out MeasuredHeader header))
        {
            header.Write(buffer);
            while (true)
            {
                SendStatus status = groups[header.Group].TrySend(buffer);
                if (status == SendStatus.Accepted) break;
                if (status != SendStatus.Backpressured
                    || !groups[header.Group].WaitToSendAsync().AsTask().GetAwaiter().GetResult())
                {
                    throw new InvalidOperationException($"TrySend: {status}");
                }
            }
        }
    }

    private static Task FeedAsync(IReadOnlyList<Group> groups, TrafficSource source, int size)
    {
        var turns = new FeedTurns(groups, source, size);
        turns.Start();
        return turns.Completion;
    }

    private static Task RunOnThreadAsync(Action work)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        new Thread(() =>
        {
            try
            {
                work();
                done.SetResult();
            }
            catch (Exception failure)
            {
                done.SetException(failure);
            }
        })
        { IsBackground = true, Name = "sender" }.Start();
        return done.Task;
    }
}
