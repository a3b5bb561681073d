using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;
using QuickSilver.Bench.Processes;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Programs;
using QuickSilver.Tests.Repository;
using QuickSilver.Typed;

namespace QuickSilver.Hosting.Tests;

/// <summary>What OpenTelemetry collects of a node.</summary>
[Collection(Name)]
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class TelemetryTests
{
    private const string Name = "telemetry";

    [Fact]
    public async Task Metrics_of_node_host_and_typed_groups_are_collected()
    {
        await using var rig = new HostRig();
        var collected = new List<Metric>();
        IHost host = await rig.StartAsync(services =>
        {
            services.AddSingleton<ConcurrentQueue<Quote>>();
            services.AddQuickSilver(rig.Here)
                .AddGroup("quotes", QuoteContext.Default.Quote, static group => group.Typed.LatencySampleEvery = 2)
                .AddHandler<TypedGroupTests.QuoteHandler>("quotes");
            services.AddMetrics();
            services.AddOpenTelemetry().WithMetrics(
                metrics => metrics.AddQuickSilverInstrumentation().AddInMemoryExporter(collected));
        });
        var group = host.Services.GetRequiredKeyedService<IQuickSilverGroup<Quote>>("quotes");
        for (int number = 0; number < 10; number++) await group.SendAsync(new Quote("A", number));
        ConcurrentQueue<Quote> seen = host.Services.GetRequiredService<ConcurrentQueue<Quote>>();
        await NodeRig.UntilAsync(() => seen.Count == 10, "all are handled");
        // How long a handler took is counted when it has returned.
        MeterProvider meters = host.Services.GetRequiredService<MeterProvider>();
        await NodeRig.UntilAsync(
            () =>
            {
                collected.Clear();
                Assert.True(meters.ForceFlush());
                return CountOf(collected, "messaging.process.duration") == 10;
            },
            "all are counted");
        string[] names = [.. collected.Select(static metric => metric.Name)];
        Assert.Contains("messaging.client.sent.messages", names);
        Assert.Contains("quicksilver.members", names);
        Assert.Equal(5, CountOf(collected, "quicksilver.delivery.latency"));
    }

    [Fact]
    public async Task One_trace_spans_two_processes()
    {
        var spans = new List<Activity>();
        using TracerProvider traces = Sdk.CreateTracerProviderBuilder()
            .AddQuickSilverInstrumentation().AddInMemoryExporter(spans).Build();
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(static options => options.ClusterName = "hosted");
        Group<Word> words = await node.JoinAsync(
            "words", WordContext.Default.Word, typed: new TypedGroupOptions { Tracing = true });
        var lines = new ConcurrentQueue<string>();
        await using ChildProcess member = ChildProcess.Start(
            "HostedMember",
            Path.Combine(AppContext.BaseDirectory, "HostedMember.dll"),
            [rig.Port.ToString(CultureInfo.InvariantCulture), "trace"],
            lines.Enqueue);
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        await words.Raw.WaitForMembersAsync(2, limit.Token);
        await words.SendAsync(new Word("hello"));
        await NodeRig.UntilAsync(
            () => lines.Any(static line => line.StartsWith("span process", StringComparison.Ordinal)),
            "the other process handles it");
        Activity sent = Assert.Single(spans, static span => span.OperationName == "send words");
        Assert.Equal(ActivityKind.Producer, sent.Kind);
        Assert.Equal("quicksilver", sent.GetTagItem("messaging.system"));
        Assert.Equal("words", sent.GetTagItem("messaging.destination.name"));
        string[] received = SpanOf(lines, "receive");
        string[] handled = SpanOf(lines, "process");
        Assert.Equal([$"{sent.TraceId}", $"{sent.SpanId}"], [received[3], received[5]]);
        Assert.Equal([received[3], received[4]], [handled[3], handled[5]]);
    }

    [Fact]
    public async Task Nothing_is_traced_unless_the_group_opted_in_and_the_readers_own_activity_is_left_alone()
    {
        var spans = new List<Activity>();
        using TracerProvider traces = Sdk.CreateTracerProviderBuilder()
            .AddQuickSilverInstrumentation().AddInMemoryExporter(spans).Build();
        await using var rig = new HostRig();
        QuickSilverNode node = await rig.StartNodeAsync();
        Group<Quote> silent = await node.JoinAsync("silent", QuoteContext.Default.Quote);
        Group<Quote> traced = await node.JoinAsync(
            "traced", QuoteContext.Default.Quote, typed: new TypedGroupOptions { Tracing = true });
        await silent.SendAsync(new Quote("A", 1));
        TypedMessage<Quote> message = await silent.ReadAllAsync().FirstAsync();
        Assert.Empty(message.Headers);
        Assert.Equal(default, message.TraceContext);
        Assert.Empty(spans);

        await traced.SendAsync(new Quote("A", 1));
        using Activity own = new Activity("the reader's own").Start();
        message = await traced.ReadAllAsync().FirstAsync();
        Assert.Same(own, Activity.Current);
        Activity receive = Assert.Single(spans, static span => span.OperationName == "receive traced");
        Activity send = Assert.Single(spans, static span => span.OperationName == "send traced");
        Assert.Equal(send.SpanId, receive.ParentSpanId);
        Assert.Equal(receive.Context, message.TraceContext);
        Assert.NotEqual(own.TraceId, receive.TraceId);
    }

    [Fact]
    public void Every_instrument_of_typed_groups_is_listed()
    {
        string page = File.ReadAllText(SourceTree.PathOf("docs/monitoring.md"));
        var instruments = new List<string>();
        LatencySamples.Note(MessageHeaders.None);
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name == QuickSilverTelemetry.TypedMeterName) instruments.Add(instrument.Name);
            },
        };
        listener.Start();
        Assert.Contains($"`{Assert.Single(instruments)}`", page, StringComparison.Ordinal);
    }

    private static long CountOf(List<Metric> metrics, string name)
    {
        Metric metric = Assert.Single(metrics, metric => metric.Name == name);
        long count = 0;
        foreach (ref readonly MetricPoint point in metric.GetMetricPoints()) count += point.GetHistogramCount();
        return count;
    }

    private static string[] SpanOf(IEnumerable<string> lines, string operation) =>
        Assert.Single(lines, line => line.StartsWith($"span {operation} ", StringComparison.Ordinal)).Split(' ');
}
