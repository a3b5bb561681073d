using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using QuickSilver.Tests.Diagnostics;

namespace QuickSilver.Tests.Api;

/// <summary>The application's metering code runs where a node starts and ends.</summary>
[Collection(NodeCollection.Name)]
public sealed class MeteringTests
{
    [Fact]
    public async Task What_a_meter_listener_throws_is_logged_and_the_node_starts_and_ends()
    {
        using var factory = new RecordingLoggerFactory();
        int published = 0;
        int completed = 0;
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name != "QuickSilver") return;
                listener.EnableMeasurementEvents(instrument);
                Interlocked.Increment(ref published);
                throw new InvalidOperationException("published");
            },
            MeasurementsCompleted = (_, _) =>
            {
                if (Interlocked.Increment(ref completed) == 1) throw new InvalidOperationException("completed");
            },
        };
        listener.Start();
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(options => options.UseLoggerFactory(factory));
        await (await node.JoinAsync("group")).SendConfirmedAsync("x").WaitAsync(NodeRig.Patience);
        await node.DisposeAsync().AsTask().WaitAsync(NodeRig.Patience);
        Assert.True(node.Completion.IsCompletedSuccessfully);
        Assert.Equal(NodeState.Stopped, node.State);
        Assert.InRange(published, 2, int.MaxValue);
        Assert.InRange(completed, 1, int.MaxValue);
        await NodeRig.UntilAsync(() => IsLogged("published") && IsLogged("completed"), "both are logged");

        bool IsLogged(string thrown) =>
            factory.Records.Any(record => record.Id.Id == 1_503 && record.Fault!.Message == thrown);
    }

    [Fact]
    public async Task What_a_meter_factory_throws_is_logged_and_the_node_starts()
    {
        using var factory = new RecordingLoggerFactory();
        using var meters = new ThrowingMeterFactory();
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync(options =>
        {
            options.UseLoggerFactory(factory);
            options.UseMeterFactory(meters);
        });
        Assert.Equal(NodeState.Running, node.State);
        await NodeRig.UntilAsync(() => factory.Ids.Contains(1_503), "it is logged");
    }

    [Fact]
    public async Task Durations_of_token_rounds_and_loop_phases_are_histograms()
    {
        await using var rig = new NodeRig();
        QuickSilverNode one = await rig.StartAsync(static options => options.NodeName = "one");
        QuickSilverNode other = await rig.StartAsync();
        var seen = new ConcurrentDictionary<string, double>();
        string? core = null;
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, listener) =>
            {
                bool isOwn = instrument.Meter.Tags?.Any(static tag => (string?)tag.Value == "one") == true;
                if (isOwn && instrument is Histogram<double>) listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<double>((instrument, seconds, tags, _) =>
        {
            string phase = tags.Length > 0 ? $" {tags[0].Value}" : "";
            seen[instrument.Name + phase] = seconds;
            if (Thread.CurrentThread.Name?.StartsWith("QuickSilver", StringComparison.Ordinal) == true)
                core = Thread.CurrentThread.Name;
        });
        listener.Start();
        Group sender = await one.JoinAsync("group");
        await other.JoinAsync("group");
        await sender.WaitForMembersAsync(2).WaitAsync(NodeRig.Patience);
        string[] wanted =
        [
            "quicksilver.token.round.duration", "quicksilver.loop.phase.duration requests",
            "quicksilver.loop.phase.duration io", "quicksilver.loop.phase.duration alarms",
            "quicksilver.loop.phase.duration pull",
        ];
        while (!wanted.All(seen.ContainsKey))
        {
            await sender.SendConfirmedAsync("x").WaitAsync(NodeRig.Patience);
            await Task.Delay(10, TestContext.Current.CancellationToken);
        }
        Assert.All(seen.Values, static seconds => Assert.InRange(seconds, 0, 10));
        Assert.Null(core);
    }

    private sealed class ThrowingMeterFactory : IMeterFactory
    {
        public Meter Create(MeterOptions options) => throw new InvalidOperationException("no meter");

        public void Dispose()
        {
        }
    }
}
