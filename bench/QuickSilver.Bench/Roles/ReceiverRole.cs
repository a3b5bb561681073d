using System.Diagnostics;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Roles;

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
        Group? echo = order.EchoEvery == 0 ? null : await node.JoinAsync(
            EchoMeter.Group, new GroupOptions
            {
                SelfDelivery = false,
                BufferBeforeFirstRead = false,
                OnMessage = static (in MessageRef message) => { },
            });
        byte[] buffer = new byte[order.Size];
        var options = new GroupOptions
        {
            Mode = RoleNode.ModeOf(order),
            OnBatch = OnMessages,
            BufferBeforeFirstRead = false,
        };
        await node.JoinManyAsync(names, options);
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
            string name = run.GroupName;
            foreach (MessageRef message in run)
            {
                MeasuredHeader header = sink.Receive(message.Payload);
                if (header.Group >= 0
                    && (!string.Equals(names[header.Group], name, StringComparison.Ordinal)
                    || message.Sequence != (ulong)header.Index))
                {
                    sink.CountMisdirected();
                }
                else if (echo is not null && EchoMeter.IsEchoed(header, order.Groups, order.EchoEvery))
                {
                    Echo(echo, header);
                }
            }
        }

        // A handler must not wait: what does not fit is not echoed, and is missing from the count.
        void Echo(Group group, in MeasuredHeader header)
        {
            EchoMeter.Echo(header, order.Number, order.Groups).Write(buffer);
            group.TrySend(buffer);
        }
    }
}
