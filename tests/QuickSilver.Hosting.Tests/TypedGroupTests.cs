using System.Buffers;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using QuickSilver.Hosting.Tests.Handlers;
using QuickSilver.Tests.Api;
using QuickSilver.Typed;

namespace QuickSilver.Hosting.Tests;

/// <summary>Groups of values.</summary>
public sealed class TypedGroupTests
{
    private static readonly JsonPayloadSerializer<Quote> Json = new(QuoteContext.Default.Quote);

    [Fact]
    public async Task Values_travel_with_their_headers()
    {
        await using var rig = new HostRig();
        Group<Quote> left = await (await rig.StartNodeAsync()).JoinAsync("quotes", QuoteContext.Default.Quote);
        Group<Quote> right = await (await rig.StartNodeAsync()).JoinAsync("quotes", Json);
        await left.SendAsync(new Quote("A", 1.5m));
        await left.SendAsync(new Quote("B", 2), new MessageHeaders(new KeyValuePair<string, string>("tenant", "x")));
        DeliveryReport report = await left.SendConfirmedAsync(new Quote("C", 3));
        Assert.Equal(2, report.Confirmed);
        List<TypedMessage<Quote>> read = await TakeAsync(right, 3);
        Assert.Equal([new("A", 1.5m), new("B", 2), new("C", 3)], read.Select(static message => message.Value));
        Assert.Equal([1ul, 2, 3], read.Select(static message => message.Sequence));
        Assert.All(read, message => Assert.Equal(left.Raw.Node.Id, message.Sender));
        Assert.All(read, message => Assert.Equal(left.Raw.Node.Name, message.SenderName));
        Assert.True(read[1].Headers.TryGetValue("tenant", out string? tenant));
        Assert.Equal("x", tenant);
        Assert.Empty(read[0].Headers);
        Assert.False(read[0].Headers.TryGetValue("tenant", out _));
    }

    [Fact]
    public async Task A_message_that_is_no_value_is_an_event_with_its_bytes_and_reading_goes_on()
    {
        await using var rig = new HostRig();
        Group<Quote> group = await (await rig.StartNodeAsync()).JoinAsync("quotes", Json);
        var told = new List<UndeserializedMessage>();
        group.Undeserialized += (_, happened) => told.Add(happened);
        byte[][] bad = [[], [1, 2, 3], [0xE1], [0xE1, 2], [0xE1, 0], [0xE1, 0, (byte)'{'], [0xE1, 1, 9, 9, 1],
            [0xE1, 0, .. "null"u8], [0xE1, 0, .. "[]"u8]];
        foreach (byte[] bytes in bad) await group.Raw.SendAsync(bytes);
        await group.SendAsync(new Quote("A", 1));
        Assert.Equal(new Quote("A", 1), (await TakeAsync(group, 1))[0].Value);
        Assert.Equal(bad, told.Select(static happened => happened.Message.Payload.ToArray()));
        Assert.All(told, static happened => Assert.True(happened.Fault is FormatException or JsonException));
        Assert.Equal(bad.Length, group.UndeserializedMessages);
        // What arrived is released, whatever came of it.
        NodeStatistics figures = await group.Raw.Node.GetStatisticsAsync();
        Assert.Equal(0, figures.LeasesOutstanding);
    }

    [Fact]
    public async Task A_join_with_an_option_that_is_invalid_leaves_nothing_behind()
    {
        await using var rig = new HostRig();
        QuickSilverNode node = await rig.StartNodeAsync();
        var wrong = new TypedGroupOptions { LatencySampleEvery = -1 };
        ArgumentException told = await Assert.ThrowsAsync<ArgumentException>(
            () => node.JoinAsync("quotes", Json, typed: wrong));
        Assert.Contains("LatencySampleEvery is -1", told.Message, StringComparison.Ordinal);
        Assert.Equal(0, (await node.GetStatisticsAsync()).Groups);
    }

    [Fact]
    public async Task The_headers_of_the_application_and_those_of_tracing_and_samples_travel_together()
    {
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == QuickSilverTelemetry.ActivitySourceName,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) =>
                ActivitySamplingResult.AllDataAndRecorded,
        };
        ActivitySource.AddActivityListener(listener);
        await using var rig = new HostRig();
        Group<Quote> group = await (await rig.StartNodeAsync()).JoinAsync(
            "quotes", Json, typed: new TypedGroupOptions { Tracing = true, LatencySampleEvery = 1 });
        using Activity own = new Activity("own") { TraceStateString = "vendor=1" }.Start();
        var headers = new MessageHeaders(Enumerable.Range(0, 32).Select(static n => KeyValuePair.Create($"{n}", "x")));
        await group.SendAsync(new Quote("A", 1), headers);
        TypedMessage<Quote> message = (await TakeAsync(group, 1))[0];
        Assert.Equal(0, group.UndeserializedMessages);
        Assert.Equal(35, message.Headers.Count);
    }

    [Fact]
    public async Task A_serializer_that_throws_is_named_and_nothing_is_sent()
    {
        await using var rig = new HostRig();
        Group<Quote> group = await (await rig.StartNodeAsync()).JoinAsync("quotes", new PickySerializer());
        ValueTask sending = group.SendAsync(new Quote("bad", 1));
        var told = await Assert.ThrowsAsync<PayloadSerializationException>(() => sending.AsTask());
        Assert.IsType<InvalidOperationException>(told.InnerException);
        Assert.Equal("quotes", told.GroupName);
        await Assert.ThrowsAsync<PayloadSerializationException>(() => group.SendConfirmedAsync(new Quote("bad", 1)));
        await group.SendAsync(new Quote("good", 2));
        TypedMessage<Quote> read = (await TakeAsync(group, 1))[0];
        Assert.Equal(("good", 1ul), (read.Value.Symbol, read.Sequence));
    }

    [Fact]
    public async Task Sending_a_value_allocates_nothing()
    {
        await using var rig = new HostRig();
        QuickSilverNode node = await rig.StartNodeAsync();
        Group<Quote> group = await node.JoinAsync(
            "quotes", Json, new GroupOptions { BufferBeforeFirstRead = false, SelfDelivery = false });
        Assert.True(await AllocatedAsync(group) < 1, "a message costs memory");
    }

    [Fact]
    public async Task A_hosted_group_of_values_has_typed_handlers_and_tells_of_other_messages()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<ConcurrentQueue<Quote>>();
            services.AddQuickSilver(rig.Here).AddGroup("quotes", QuoteContext.Default.Quote)
                .AddHandler<QuoteHandler>("quotes");
        });
        var group = host.Services.GetRequiredKeyedService<IQuickSilverGroup<Quote>>("quotes");
        var told = new ConcurrentQueue<UndeserializedMessage>();
        group.Undeserialized += (_, happened) => told.Enqueue(happened);
        group.Undeserialized += static (_, _) => throw new InvalidOperationException("an event handler's own");
        await group.Raw.SendAsync(new byte[] { 7 });
        await group.SendAsync(new Quote("A", 1));
        ConcurrentQueue<Quote> seen = host.Services.GetRequiredService<ConcurrentQueue<Quote>>();
        await NodeRig.UntilAsync(() => !seen.IsEmpty, "it is handled");
        Assert.Equal(new Quote("A", 1), Assert.Single(seen));
        Assert.Equal([7], Assert.Single(told).Message.Payload.ToArray());
        Assert.Contains(1618, rig.Loggers.Ids);
        Assert.Contains(1616, rig.Loggers.Ids);
        IQuickSilverNode node = host.Services.GetRequiredService<IQuickSilverNode>();
        Assert.Same(group, node.GetGroup<Quote>("quotes"));
        Assert.Throws<ArgumentException>(() => node.GetGroup<string>("quotes"));
    }

    [Fact]
    public async Task A_handler_of_another_type_and_another_serializer_are_findings()
    {
        await using var rig = new HostRig();
        IHost host = rig.Build(services => services.AddQuickSilver(rig.Here)
            .AddGroup("quotes", Json).AddGroup("quotes", new PickySerializer()).AddGroup("quotes")
            .AddGroup("bytes")
            .AddHandler<QuoteHandler>("bytes")
            .AddHandler<BrokenHandler>("quotes"));
        OptionsValidationException told = await Assert.ThrowsAsync<OptionsValidationException>(
            () => host.StartAsync());
        Assert.Equal(2, told.Failures.Count(static finding => finding.StartsWith(
            "Groups[quotes]: is registered twice with different options: values", StringComparison.Ordinal)));
        Assert.Contains(told.Failures, static finding => finding.StartsWith(
            "Groups[bytes].Handlers[QuoteHandler]: implements neither IMessageHandler nor", StringComparison.Ordinal));
        Assert.Contains(told.Failures, static finding => finding.StartsWith(
            "Groups[quotes].Handlers[BrokenHandler]: implements neither IMessageHandler<Quote>",
            StringComparison.Ordinal));
        Assert.Equal(4, told.Failures.Count());
    }

    // The least of some rounds: what the runtime does beside is not the messages' doing.
    private static async Task<double> AllocatedAsync(Group<Quote> group)
    {
        double least = double.MaxValue;
        for (int round = 0; round < 20; round++)
        {
            await group.Raw.FlushAsync();
            least = Math.Min(least, Send());
        }
        return least;

        double Send()
        {
            const int Messages = 500;
            var quote = new Quote("ABC", 12.5m);
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int index = 0; index < Messages; index++)
            {
                if (!group.SendAsync(quote).IsCompletedSuccessfully) return double.MaxValue;
            }
            return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)Messages;
        }
    }

    private static async Task<List<TypedMessage<Quote>>> TakeAsync(Group<Quote> group, int count)
    {
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        var read = new List<TypedMessage<Quote>>();
        await foreach (TypedMessage<Quote> message in group.ReadAllAsync(limit.Token))
        {
            read.Add(message);
            if (read.Count == count) break;
        }
        return read;
    }

    internal sealed class QuoteHandler(ConcurrentQueue<Quote> seen) : IMessageHandler<Quote>
    {
        public ValueTask HandleAsync(TypedMessage<Quote> message, CancellationToken cancellationToken)
        {
            seen.Enqueue(message.Value);
            return default;
        }
    }

    internal sealed class PickySerializer : IPayloadSerializer<Quote>
    {
        public void Serialize(Quote value, IBufferWriter<byte> writer)
        {
            writer.Write("half"u8);
            if (value.Symbol == "bad") throw new InvalidOperationException("not this one");
        }

        public Quote Deserialize(ReadOnlyMemory<byte> payload) => new("good", payload.Length);
    }
}
