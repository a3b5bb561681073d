using System.Diagnostics;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Streams;

/// <summary>
/// Several senders and several receivers of one group. The head of a message names its sender where other scenarios
/// name the group, so that a sink checks each sender's order by itself.
/// </summary>
internal static class StreamRoles
{
    private const int SamplePeriodMilliseconds = 20;
    private static readonly TimeSpan LastMessages = TimeSpan.FromSeconds(20);

    /// <summary>Joins, waits for everybody and the word to go, sends its part of the run, reports when every member
    /// holds it.</summary>
    public static async Task SendAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        // Other senders' messages come here too; nobody wants them.
        Group group = await node.JoinAsync(
            "g0",
            new GroupOptions
            {
                SelfDelivery = false,
                BufferBeforeFirstRead = false,
                OnMessage = static (in MessageRef _) => { }
            });
        await group.WaitForMembersAsync(order.Senders + order.Receivers);
        channel.TellReady();
        await channel.Go;

        var meter = new LoadMeter();
        var source = new TrafficSource(1, new RunClock(order.WarmUpSeconds, order.MeasuredSeconds), order.Rate, meter);
        // A thread of its own, because a paced sender sleeps in it.
        await Task.Factory.StartNew(
            () => Send(group, source, order), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        await node.FlushAsync();
        meter.End();
        NodeStatistics statistics = await SettledStatistics.ReadAsync(node);
        channel.TellResult(SenderReport.Of(order, source, meter).With(statistics));
        await RoleChannel.StayAsync();
    }

    /// <summary>Joins, receives until all that was sent has come, or some seconds after the senders have
    /// finished.</summary>
    public static async Task ReceiveAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        var meter = new LoadMeter();
        var sink = new TrafficSink(order.Senders, order.Size, meter) { RecordsAll = order.Rate > 0 };
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        await node.JoinAsync("g0", new GroupOptions { OnMessage = OnMessage, BufferBeforeFirstRead = false });
        channel.TellReady();

        var progress = new List<ProgressSample>();
        long since = 0;
        while (!channel.Total.IsCompleted
            || (sink.Delivered < channel.Total.Result && Stopwatch.GetElapsedTime(since) < LastMessages))
        {
            if (!channel.Total.IsCompleted) since = Stopwatch.GetTimestamp();
            if (sink.Delivered > 0) progress.Add(Sample(sink, order.Senders));
            await Task.Delay(SamplePeriodMilliseconds);
        }
        progress.Add(Sample(sink, order.Senders));
        NodeStatistics statistics = await SettledStatistics.ReadAsync(node);
        channel.TellResult(
            ReceiverReport.Of(order, sink, meter, channel.Total.Result).With(statistics) with { Progress = progress });
        await RoleChannel.StayAsync();

        void OnMessage(in MessageRef message)
        {
            MeasuredHeader header = sink.Receive(message.Payload);
            if (header.Group >= 0 && message.Sequence != (ulong)header.Index) sink.CountMisdirected();
        }
    }

    private static ProgressSample Sample(TrafficSink sink, int senders) =>
        new(
            Stopwatch.GetTimestamp() * 1000.0 / Stopwatch.Frequency, sink.Delivered,
            [.. Enumerable.Range(0, senders).Select(sink.LastOf)]);

    private static void Send(Group group, TrafficSource source, RoleOrder order)
    {
        byte[] buffer = new byte[order.Size];
        while (source.TryNext(out MeasuredHeader header))
        {
            (header with { Group = order.Number }).Write(buffer);
            group.SendAsync(buffer.AsMemory()).AsTask().GetAwaiter().GetResult();
        }
    }
}
