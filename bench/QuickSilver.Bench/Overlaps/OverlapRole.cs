using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Bench.Overlaps;

/// <summary>Some nodes of an irregular overlap, in one process. Each sends to all of its groups in turn, at full speed
/// or at a rate.</summary>
internal static class OverlapRole
{
    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(3);

    /// <summary>Joins, waits for everybody, sends, and reports when nothing comes any more.</summary>
    public static async Task RunAsync(RoleChannel channel)
    {
        RoleOrder order = channel.Order;
        OverlapOrder overlap = order.Overlaps!;
        OverlapPattern pattern = overlap.Make();
        Member[] members = [
            .. Enumerable.Range(order.Number * overlap.NodesAProcess, overlap.NodesAProcess)
                .Select(number => new Member(order, overlap, pattern, number))];
        try
        {
            foreach (Member member in members) await member.JoinAsync();
            foreach (Member member in members) await member.WaitAsync();
            channel.TellReady();
            await channel.Go;

            var meter = new LoadMeter();
            var clock = new RunClock(order.WarmUpSeconds, order.MeasuredSeconds);
            await Task.WhenAll([meter.FollowAsync(clock), .. members.Select(static member => member.SendAsync())]);
            await Task.WhenAll(members.Select(static member => member.FlushAsync()));
            await Drain.AwaitAsync(() => members.Sum(static member => member.Sink.All), Quiet);
            channel.TellResult(await ReportAsync(order, overlap, members, meter));
            await RoleChannel.StayAsync();
        }
        finally
        {
            foreach (Member member in members) await member.DisposeAsync();
        }
    }

    private static async Task<ProcessReport> ReportAsync(
        RoleOrder order, OverlapOrder overlap, Member[] members, LoadMeter meter)
    {
        long[] sent = new long[overlap.Groups];
        long[] delivered = new long[overlap.Groups];
        long copies = 0;
        long received = 0;
        long filtered = 0;
        NodeStatistics? first = null;
        foreach (Member member in members)
        {
            for (int group = 0; group < overlap.Groups; group++)
            {
                sent[group] += member.Sent[group];
                delivered[group] += member.Sink.Delivered[group];
            }
            NodeStatistics own = await member.ReadStatisticsAsync();
            first ??= own;
            copies += own.MessageCopies;
            received += own.PacketsReceived;
            filtered += own.PacketsFiltered;
        }
        return new ProcessReport
        {
            Process = order.Name,
            Role = order.Role.ToString(),
            Sent = members.Sum(static member => member.Sent.Sum()),
            Measured = members.Sum(static member => member.MeasuredSent),
            MeasuredSeconds = order.MeasuredSeconds,
            Delivered = members.Sum(static member => member.Sink.All),
            CpuSeconds = meter.CpuSeconds,
            AllocatedBytes = meter.AllocatedBytes,
            Overlap = new OverlapReport(
                sent, delivered, members.Sum(static member => member.Sink.Faults),
                members.Sum(static member => member.Sink.Measured), copies, received, filtered, first!.Regions),
        };
    }

    // One node.
    private sealed class Member(RoleOrder order, OverlapOrder overlap, OverlapPattern pattern, int number)
        : IAsyncDisposable
    {
        private readonly int[] _own = [
            .. Enumerable.Range(0, overlap.Groups)
                .Where(group => Array.BinarySearch(pattern.Members[group], number) >= 0)];
        private readonly Dictionary<int, Group> _groups = [];
        private QuickSilverNode? _node;
        private TrafficSource? _source;

        public OverlapSink Sink { get; } = new(overlap, order.Size);

        public long[] Sent { get; } = new long[overlap.Groups];

        public long MeasuredSent => _source?.Measured ?? 0;

        public async Task JoinAsync()
        {
            _node = await RoleNode.StartAsync(order with { Name = $"node-{number + 1}" });
            foreach (bool isHybrid in (bool[])[false, true])
            {
                int[] these = [.. _own.Where(group => Array.BinarySearch(overlap.Hybrid, group) >= 0 == isHybrid)];
                if (these.Length == 0) continue;
                var options = new GroupOptions
                {
                    OnMessage = Sink.OnMessage,
                    SelfDelivery = false,
                    BufferBeforeFirstRead = false,
                    Mode = new ReliableMode { Hybrid = isHybrid },
                };
                IReadOnlyList<Group> joined = await _node.JoinManyAsync(these.Select(OverlapSink.NameOf), options);
                for (int index = 0; index < these.Length; index++) _groups.Add(these[index], joined[index]);
            }
        }

        public async Task WaitAsync()
        {
            foreach ((int group, Group joined) in _groups)
                await joined.WaitForMembersAsync(pattern.Members[group].Length);
        }

        public Task SendAsync()
        {
            // A group of one has nobody to send to.
            int[] to = [.. _own.Where(group => pattern.Members[group].Length > 1)];
            if (to.Length == 0) return Task.CompletedTask;
            var clock = new RunClock(order.WarmUpSeconds, order.MeasuredSeconds);
            _source = new TrafficSource(to.Length, clock, order.Rate, new LoadMeter());
            return Task.Factory.StartNew(
                () => Send(_source, to), CancellationToken.None, TaskCreationOptions.LongRunning,
                TaskScheduler.Default);
        }

        public Task FlushAsync() => _node!.FlushAsync();

        public Task<NodeStatistics> ReadStatisticsAsync() => SettledStatistics.ReadAsync(_node!);

        public ValueTask DisposeAsync() => _node?.DisposeAsync() ?? ValueTask.CompletedTask;

        private void Send(TrafficSource source, int[] to)
        {
            byte[] buffer = new byte[order.Size];
            while (source.TryNext(out MeasuredHeader header))
            {
                int group = to[header.Group];
                (header with { Group = (number * overlap.Groups) + group }).Write(buffer);
                ValueTask sending = _groups[group].SendAsync(buffer.AsMemory());
                if (!sending.IsCompletedSuccessfully) sending.AsTask().GetAwaiter().GetResult();
                Sent[group]++;
            }
        }
    }
}
