using System.Diagnostics;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Rounds;

/// <summary>A member that sends a round of messages at each word of the coordinator.</summary>
internal static class RoundSenderRole
{
    /// <summary>Joins, waits for the members, and does what it is told until its input ends.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        var shape = new RoundShape(order);
        var echo = new RoundEcho(shape, order.Groups, order.Number);
        int[] receivers = shape.ReceiversByGroup();
        await using QuickSilverNode node = await RoleNode.StartAsync(order);
        IReadOnlyList<Group> groups = await node.JoinManyAsync(
            RoleNode.GroupNames(order.Groups),
            new GroupOptions { OnMessage = static (in _) => { }, SelfDelivery = false });
        Group echoes = await node.JoinAsync(EchoMeter.Group, new GroupOptions
        {
            SelfDelivery = false,
            BufferBeforeFirstRead = false,
            OnMessage = (in MessageRef message) => echo.OnEcho(MeasuredHeader.Read(message.Payload)),
        });
        for (int group = 0; group < groups.Count; group++)
            await groups[group].WaitForMembersAsync(receivers[group] + order.Senders);
        await echoes.WaitForMembersAsync(order.Receivers + order.Senders);
        var meter = new RoundMeter(node, echo.Take);
        var round = new Round(order, shape, groups, echo);
        channel.TellReady();
        await foreach (string command in channel.Commands.ReadAllAsync())
        {
            if (command == RoundCommands.Send)
            {
                // A thread of its own, because a paced sender sleeps in it.
                await Task.Factory.StartNew(
                    round.Send, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
                    .Unwrap();
                channel.TellDone(RoundCommands.Send);
            }
            else if (command == RoundCommands.Figures)
            {
                await meter.TellAsync(channel);
            }
        }
    }

    private sealed class Round(RoleOrder order, RoundShape shape, IReadOnlyList<Group> groups, RoundEcho echo)
    {
        private readonly byte[] _buffer = new byte[order.Size];
        private readonly long[] _sent = new long[groups.Count];
        private readonly double _period = order.Rate > 0 ? Stopwatch.Frequency / order.Rate : 0;

        public async Task Send()
        {
            long start = Stopwatch.GetTimestamp(), due = start;
            for (int number = 0; number < shape.Messages; number++)
            {
                bool isEchoed = shape.IsEchoed(number);
                if (_period > 0)
                {
                    due = start + (long)(number * _period);
                    long late = Pacer.WaitUntil(due) - due;
                    if (isEchoed) echo.OnSent(number, late);
                }
                else if (isEchoed)
                {
                    due = Stopwatch.GetTimestamp();
                }
                int group = number % groups.Count;
                new MeasuredHeader((order.Number * groups.Count) + group, RunPhase.Measured, ++_sent[group], due)
                    .Write(_buffer);
                ValueTask sending = groups[group].SendAsync(_buffer.AsMemory());
                if (_period > 0 && !sending.IsCompleted) sending.AsTask().GetAwaiter().GetResult();
                else await sending;
            }
        }
    }
}
