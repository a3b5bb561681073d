using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using QuickSilver.Cli.Arguments;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Commands;

/// <summary>A short run for throughput: within this process, or between nodes of a cluster.</summary>
internal sealed class Bench : NodeCommand
{
    private const string GroupName = "quicksilver.bench";

    private readonly Option<bool> _send = new("--send") { Description = "Send to those that run --receive." };
    private readonly Option<bool> _receive = new("--receive") { Description = "Receive until Ctrl+C." };

    private readonly Option<int> _receivers = new Option<int>("--receivers")
    { Description = "Receivers to wait for, or to start here.", DefaultValueFactory = static _ => 1 }.AtLeast(1);

    private readonly Option<double> _seconds = new Option<double>("--seconds")
    { Description = "How long it sends.", DefaultValueFactory = static _ => 3 }.Above(0.0);

    private readonly Option<int> _size = new Option<int>("--size")
    { Description = "Bytes of a message.", DefaultValueFactory = static _ => 1000 }.AtLeast(1);

    /// <summary>Makes the command.</summary>
    public Bench()
        : base("bench", "Sends as fast as it goes for some seconds; by default between nodes of this process.")
    {
        foreach (Option option in (Option[])[_send, _receive, _receivers, _seconds, _size]) Line.Options.Add(option);
        Line.Validators.Add(result =>
        {
            if (result.GetResult(_send) is { Implicit: false } && result.GetResult(_receive) is { Implicit: false })
                result.AddError("Give --send or --receive, not both.");
        });
    }

    /// <inheritdoc/>
    protected override bool IsStream => true;

    /// <inheritdoc/>
    protected override async Task<int> RunAsync(CommandCall call)
    {
        if (call.Value(_receive)) return await ReceiveAsync(call).ConfigureAwait(false);
        QuickSilverOptions options = Node.Read(call);
        var receivers = new List<QuickSilverNode>();
        var counts = new List<Counter>();
        try
        {
            if (!call.Value(_send))
            {
                options.ClusterName = $"bench {Guid.NewGuid():N}";
                options.Membership.Mode = MembershipMode.Loopback;
                options.NodeName = null;
                for (int index = 0; index < call.Value(_receivers); index++)
                {
                    receivers.Add(await QuickSilverNode.StartAsync(options, call.Stop).ConfigureAwait(false));
                    counts.Add(await Counter.JoinAsync(receivers[index], call.Stop).ConfigureAwait(false));
                }
            }
            await using QuickSilverNode node = await QuickSilverNode.StartAsync(options, call.Stop)
                .ConfigureAwait(false);
            await SendAsync(call, node, counts).ConfigureAwait(false);
        }
        finally
        {
            foreach (QuickSilverNode receiver in receivers) await receiver.DisposeAsync().ConfigureAwait(false);
        }
        return ExitCode.Done;
    }

    private async Task SendAsync(CommandCall call, QuickSilverNode node, List<Counter> counts)
    {
        await using GroupPublisher publisher = await node.OpenPublisherAsync(GroupName, null, call.Stop)
            .ConfigureAwait(false);
        await WithinAsync(call, limit => publisher.WaitForMembersAsync(call.Value(_receivers), limit))
            .ConfigureAwait(false);
        byte[] message = new byte[call.Value(_size)];
        var length = TimeSpan.FromSeconds(call.Value(_seconds));
        long sent = 0, start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < length)
        {
            for (int index = 0; index < 64; index++, sent++)
                await publisher.SendAsync(message.AsMemory(), call.Stop).ConfigureAwait(false);
        }
        await publisher.FlushAsync(call.Stop).ConfigureAwait(false);
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        NodeStatistics statistics = await node.GetStatisticsAsync(call.Stop).ConfigureAwait(false);
        long least = counts.Count == 0 ? -1 : counts.Min(static one => one.Messages);
        var item = new PrintItem("bench").Add("messages", sent).Add("bytes", message.Length)
            .Add("receivers", publisher.View.MemberCount).Add("seconds", seconds).Add("rate", sent / seconds)
            .Add("repairsGiven", statistics.RepairsGiven);
        if (least >= 0) item.Add("receivedByAll", least);
        call.Printer.Print(item.Say(string.Create(
            CultureInfo.InvariantCulture,
            $"{sent:N0} messages of {message.Length} bytes to {publisher.View.MemberCount} receivers "
            + $"in {seconds:0.00} s, until all held them: {sent / seconds:N0} a second, "
            + $"{sent / seconds * message.Length / 1e6:N1} MB/s; {statistics.RepairsGiven:N0} packets repaired")));
    }

    private async Task<int> ReceiveAsync(CommandCall call)
    {
        await using QuickSilverNode node = await StartAsync(call).ConfigureAwait(false);
        Counter counter = await Counter.JoinAsync(node, call.Stop).ConfigureAwait(false);
        call.Printer.Print(GroupItems.Joined(counter.Group));
        call.Printer.Flush();
        using var second = new PeriodicTimer(TimeSpan.FromSeconds(1));
        for (long told = 0; await second.WaitForNextTickAsync(call.Stop).ConfigureAwait(false);)
        {
            long now = counter.Messages;
            if (now == told) continue;
            call.Printer.Print(new PrintItem("received").Add("messages", now).Add("rate", now - told)
                .Say(string.Create(
                    CultureInfo.InvariantCulture, $"{now - told:N0} messages a second, {now:N0} in all")));
            call.Printer.Flush();
            told = now;
        }
        return ExitCode.Done;
    }

    // Counts on the core thread.
    private sealed class Counter
    {
        private long _messages;

        public Group Group { get; private set; } = null!;

        public long Messages => Interlocked.Read(ref _messages);

        public static async Task<Counter> JoinAsync(QuickSilverNode node, CancellationToken stop)
        {
            var counter = new Counter();
            var options = new GroupOptions
            {
                BufferBeforeFirstRead = false,
                OnBatch = (in MessageBatch batch) => Interlocked.Add(ref counter._messages, batch.Count),
            };
            counter.Group = await node.JoinAsync(GroupName, options, stop).ConfigureAwait(false);
            return counter;
        }
    }
}
