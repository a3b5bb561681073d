using System.Diagnostics;
using QuickSilver.Bench;
using QuickSilver.Scenarios.Reports;
using QuickSilver.Scenarios.Traffic;

namespace QuickSilver.Scenarios.Roles;

/// <summary>A member that receives inline, on its node's own thread.</summary>
internal static class ReceiverRole
{
    private static readonly TimeSpan LastMessages = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(20);

    /// <summary>Joins, receives until all that was sent has come, or some seconds after the sender has
    /// finished.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        string[] names = [.. RoleNode.GroupNames(order.Groups)];
        var meter = new LoadMeter();
        var sink = new TrafficSink(order.Groups, order.Size, meter) { RecordsAll = order.Rate > 0 };
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        await node.JoinManyAsync(names, new GroupOptions { OnBatch = OnMessages, BufferBeforeFirstRead = false });
        TimeSpan joinTurn = (await SettledStatistics.ReadAsync(node)).LongestTurn;
        channel.TellReady();
        using MemoryLog? memory = RoleNode.NoteMemory(order);

        long total = await channel.Total;
        long since = Stopwatch.GetTimestamp();
        while (sink.Delivered < total && Stopwatch.GetElapsedTime(since) < LastMessages) await Task.Delay(Period);

        NodeStatistics statistics = await SettledStatistics.ReadAsync(node);
        channel.TellResult(ReceiverReport.Of(order, sink, meter, total).With(memory).With(statistics) with
        {
            LongestJoinTurnMillis = joinTurn.TotalMilliseconds,
        });
        await RoleChannel.StayAsync();

        void OnMessages(in MessageBatch run)
        {
            string name = run.Group.Name;
            foreach (MessageRef message in run)
            {
                MeasuredHeader header = sink.Receive(message.Payload);
                if (header.Group >= 0
                    && (!string.Equals(names[header.Group], name, StringComparison.Ordinal)
                    || message.Sequence != (ulong)header.Index))
                {
                    sink.CountMisdirected();
                }
            }
        }
    }
}
