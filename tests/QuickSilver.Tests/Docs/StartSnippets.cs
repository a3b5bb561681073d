using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.InteropServices;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using QuickSilver.Diagnostics;

namespace QuickSilver.Tests.Docs;

/// <summary>The code of docs/getting-started.md: it compiles here, and the page is held to it.</summary>
internal static class StartSnippets
{
    public static async Task StartNamedAsync()
    {
        await using var node = await QuickSilverNode.StartAsync(new QuickSilverOptions { ClusterName = "pricing" });
    }

    public static (QuickSilverOptions Host, QuickSilverOptions Client) HostAndClient()
    {
        var host = new QuickSilverOptions { ClusterName = "pricing" };
        host.Membership.Mode = MembershipMode.Host;             // serves at all addresses, port 14999
        host.Security.KeyFile = "cluster.key";                  // 32 random bytes: openssl rand -base64 32

        var client = new QuickSilverOptions { ClusterName = "pricing" };
        client.Membership.Mode = MembershipMode.Client;
        client.Membership.Servers.Add("10.0.0.5:14999");
        client.Security.KeyFile = "cluster.key";                // a copy of the same file
        return (host, client);
    }

    public static QuickSilverOptions Bind(IConfiguration configuration)
    {
        var options = new QuickSilverOptions();
        configuration.GetRequiredSection("QuickSilver").Bind(options, static binder => binder.ErrorOnUnknownConfiguration = true);
        return options;
    }

    public static async Task<(QuickSilverNode Left, QuickSilverNode Right)> InMemoryAsync()
    {
        var options = new QuickSilverOptions { ClusterName = $"test {Guid.NewGuid()}" }; // tests that run side by side do not meet
        options.Transport.Kind = TransportKind.InMemory;
        QuickSilverNode left = await QuickSilverNode.StartAsync(options);
        QuickSilverNode right = await QuickSilverNode.StartAsync(options);
        return (left, right);
    }

    public static async Task ReadUntilTerminatedAsync(Group group, Action<string> tell)
    {
        using PosixSignalRegistration terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, signal =>
        {
            signal.Cancel = true; // the program ends by itself, when its reading has ended
            _ = group.DisposeAsync().AsTask();
        });
        await foreach (Message message in group.ReadAllAsync()) tell(message.GetString());
    }

    public static void Count(Group group)
    {
        long bytes = 0;
        using IDisposable handler = group.Subscribe((in message) => bytes += message.Payload.Length);
    }

    public static void CountRuns(Group group)
    {
        long bytes = 0;
        using IDisposable batches = group.Subscribe((in MessageBatch batch) =>
        {
            foreach (MessageRef message in batch) bytes += message.Payload.Length;
        });
    }

    public static async Task ReadManyAsync(
        QuickSilverNode node, string[] names, Action<string> tell, CancellationToken ct)
    {
        await using Inbox inbox = node.CreateInbox();
        await node.JoinManyAsync(names, new GroupOptions { Inbox = inbox }, ct);
        await foreach (GroupEvent happened in inbox.ReadEventsAsync(ct))
        {
            switch (happened)
            {
                case MessageReceived { Message: var message }:
                    tell($"{message.GroupName}: {message.GetString()}");
                    break;
                case GroupCompleted { Reason: { } reason }:
                    tell($"{happened.Group.Name} has failed: {reason.Message}");
                    break;
            }
        }
    }

    public static async Task TryAsync(Group group, ReadOnlyMemory<byte> payload, CancellationToken ct)
    {
        while (group.TrySend(payload.Span) == SendStatus.Backpressured) await group.WaitToSendAsync(ct);
    }

    public static void Feed(Group group, IMessageFeed feed)
    {
        using FeedRegistration registration = group.RegisterFeed(feed);
        registration.Signal();
    }

    public static async Task WriteLongAsync(Group group, Stream file, CancellationToken ct)
    {
        PipeWriter writer = group.OpenWriter();
        await file.CopyToAsync(writer, ct);
        await writer.CompleteAsync(); // with an exception: the readers get an error
    }

    public static async Task ReadLongAsync(Group group, Stream copy, CancellationToken ct)
    {
        await foreach (LongMessage message in group.ReadLongMessagesAsync(ct))
        {
            await message.Body.CopyToAsync(copy, ct); // throws unless every byte has arrived
            await message.Body.CompleteAsync();
        }
    }

    public static async Task OnlySendAsync(QuickSilverNode node)
    {
        await using GroupPublisher publisher = await node.OpenPublisherAsync("prices");
        await publisher.WaitForMembersAsync(1); // if nobody listens, messages go to nobody, and a send completes all the same
        await publisher.SendAsync("EURUSD 1.0842");
        await TickAsync(publisher, "EURUSD 1.0843");

        static async Task TickAsync(MessageSender sender, string price) => await sender.SendAsync(price);
    }

    public static void Log(QuickSilverOptions options)
    {
        using ILoggerFactory log = LoggerFactory.Create(static builder => builder.AddConsole()); // package Microsoft.Extensions.Logging.Console
        options.UseLoggerFactory(log);
    }

    internal sealed class ClockFeed : IMessageFeed
    {
        private static readonly TimeSpan Period = TimeSpan.FromSeconds(1);

        private readonly long _start = Stopwatch.GetTimestamp();
        private TimeSpan _due;

        public FeedRegistration? Registration { get; set; }

        public bool TryWriteNext(IBufferWriter<byte> message)
        {
            TimeSpan left = _due - Stopwatch.GetElapsedTime(_start);
            if (left > TimeSpan.Zero)
            {
                Registration!.SignalAfter(left);
                return false;
            }
            _due += Period;
            message.Write("tick"u8);
            return true;
        }
    }

    internal sealed class TickFeed : IMessageFeed
    {
        private readonly Queue<Tick> _ticks = new();

        public bool TryWriteNext(IBufferWriter<byte> message)
        {
            if (!_ticks.TryDequeue(out Tick? tick)) return false;
            tick.WriteTo(message.GetSpan(Tick.Bytes));
            message.Advance(Tick.Bytes);
            return true;
        }

        public int WriteBatch(Span<byte> room, int length)
        {
            if (length != Tick.Bytes) return 0;
            int count = Math.Min(room.Length / length, _ticks.Count);
            for (int index = 0; index < count; index++) _ticks.Dequeue().WriteTo(room.Slice(index * length, length));
            return count;
        }
    }

    internal sealed record Tick(double Price)
    {
        public const int Bytes = 8;

        public void WriteTo(Span<byte> message) => BinaryPrimitives.WriteDoubleLittleEndian(message, Price);
    }
}
