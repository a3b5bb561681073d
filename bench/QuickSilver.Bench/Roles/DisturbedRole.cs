using System.Diagnostics;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Traffic;
using QuickSilver.Testing;

namespace QuickSilver.Bench.Roles;

/// <summary>
/// A member of a run in which something is done to one of them: the first ones send, at a fixed rate or as fast as they
/// are let; all count what comes, by time, from the time they are told on. A sender that was held up does not catch up:
/// what a disturbance costs must show.
/// </summary>
internal static class DisturbedRole
{
    /// <summary>Length of a bin.</summary>
    public const double BinSeconds = 0.25;

    private const double MostBehindSeconds = 0.1;
    private static readonly TimeSpan Drain = TimeSpan.FromSeconds(4);
    private static readonly TimeSpan DeafPeriod = TimeSpan.FromSeconds(10);

    /// <summary>Joins, counts, and sends if it is its turn, for as long as ordered.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        ParentDeath.EndWithParent();
        RoleOrder order = channel.Order;
        var count = new Counts(order);
        await using QuickSilverNode node = await QuickSilverNode.StartAsync(Options(order));
        Group group = await node.JoinAsync(
            "all", new GroupOptions { OnMessage = count.OnMessage, BufferBeforeFirstRead = false });
        await group.WaitForMembersAsync(order.Receivers);
        channel.TellReady();

        count.Start = await channel.Go;
        long end = count.Start + (long)(order.MeasuredSeconds * Stopwatch.Frequency);
        if (order.Number < order.Senders)
        {
            Task sending = Task.Factory.StartNew(
                () => Send(group, order, count, end), CancellationToken.None, TaskCreationOptions.LongRunning,
                TaskScheduler.Default);
            await sending;
        }
        TimeSpan left = Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), end) + Drain;
        if (left > TimeSpan.Zero) await Task.Delay(left);
        channel.TellResult(new ProcessReport
        {
            Process = order.Name,
            Role = order.Role.ToString(),
            Sent = count.SentBefore + count.Sent.Sum(),
            Delivered = count.DeliveredBefore + count.Delivered.Sum(),
            OutOfOrder = count.OutOfOrder,
            MeasuredSeconds = order.MeasuredSeconds,
            SentBins = count.Sent,
            DeliveredBins = count.Delivered,
        }.With(node.GetStatistics()));
        await RoleChannel.StayAsync();
    }

    private static QuickSilverOptions Options(RoleOrder order)
    {
        var options = new QuickSilverOptions { ClusterName = order.Cluster, NodeName = order.Name };
        options.Membership.Port = order.MembershipPort;
        options.Transport.Kind = order.Transport;
        options.Security.UseRunKey(order.Key);
        if (order.DeafSeconds > 0)
            options.Faults = new FaultOptions
            {
                DeafEvery = DeafPeriod,
                DeafFor = TimeSpan.FromSeconds(order.DeafSeconds),
            };
        return options;
    }

    private static void Send(Group group, RoleOrder order, Counts count, long end)
    {
        byte[] buffer = new byte[order.Size];
        double period = order.Rate > 0 ? Stopwatch.Frequency / order.Rate : 0;
        double due = Stopwatch.GetTimestamp();
        for (long index = 1; ; index++)
        {
            long now = Stopwatch.GetTimestamp();
            if (period > 0)
            {
                due = Math.Max(due + period, now - (MostBehindSeconds * Stopwatch.Frequency));
                now = Pacer.WaitUntil((long)due);
            }
            if (now >= end) return;
            new MeasuredHeader(order.Number, RunPhase.Measured, index, now).Write(buffer);
            ValueTask sent = group.SendAsync(buffer.AsMemory());
            if (!sent.IsCompletedSuccessfully) sent.AsTask().GetAwaiter().GetResult();
            count.AddSent();
        }
    }

    private sealed class Counts
    {
        private readonly long[] _last;

        public Counts(RoleOrder order)
        {
            int bins = (int)Math.Ceiling((order.MeasuredSeconds + Drain.TotalSeconds) / BinSeconds);
            Sent = new long[bins];
            Delivered = new long[bins];
            _last = new long[order.Senders];
        }

        public long Start { get; set; } = long.MaxValue;

        /// <summary>Before <see cref="Start"/>, to warm up.</summary>
        public long SentBefore { get; private set; }

        /// <summary>By bins from <see cref="Start"/> on.</summary>
        public long[] Sent { get; }

        /// <inheritdoc cref="SentBefore"/>
        public long DeliveredBefore { get; private set; }

        /// <inheritdoc cref="Sent"/>
        public long[] Delivered { get; }

        public long OutOfOrder { get; private set; }

        public void AddSent()
        {
            if (Bin() is var bin and >= 0) Sent[bin]++;
            else SentBefore++;
        }

        public void OnMessage(in MessageRef message)
        {
            MeasuredHeader header = MeasuredHeader.Read(message.Payload);
            if (header.Index != ++_last[header.Group])
            {
                OutOfOrder++;
                _last[header.Group] = header.Index;
            }
            if (Bin() is var bin and >= 0) Delivered[bin]++;
            else DeliveredBefore++;
        }

        // Negative before the start.
        private int Bin() =>
            (int)Math.Floor(Math.Min(Stopwatch.GetElapsedTime(Start).TotalSeconds / BinSeconds, Sent.Length - 1));
    }
}
