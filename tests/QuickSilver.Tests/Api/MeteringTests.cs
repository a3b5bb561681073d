using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging.Abstractions;
using QuickSilver.Diagnostics;
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
    public void The_nodes_of_a_process_share_their_instruments_and_each_figure_names_its_node()
    {
        var instruments = new List<Instrument>();
        var named = new ConcurrentDictionary<string, HashSet<object?>>();
        using var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name != "QuickSilver") return;
                instruments.Add(instrument);
                listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<long>((instrument, _, tags, _) => Note(instrument, tags));
        listener.SetMeasurementEventCallback<double>((instrument, _, tags, _) => Note(instrument, tags));
        listener.Start();
        var log = new NodeLog(NullLoggerFactory.Instance, "node");
        NodeMeter[] meters = [.. Enumerable.Range(0, 20).Select(
            number => new NodeMeter(null, $"shared {number}", "memory", static () => new NodeStatistics(), log))];
        // A collector of OpenTelemetry takes a thousand by default.
        Assert.InRange(instruments.Count, 40, 80);
        listener.RecordObservableInstruments();
        Assert.Contains("quicksilver.loop.turns", named);
        Assert.All(named.Values, static nodes => Assert.Equal(20, nodes.Count));
        meters[0].Dispose();
        named.Clear();
        listener.RecordObservableInstruments();
        Assert.All(named.Values, static nodes => Assert.Equal(19, nodes.Count));
        foreach (NodeMeter meter in meters[1..]) meter.Dispose();

        void Note(Instrument instrument, ReadOnlySpan<KeyValuePair<string, object?>> tags)
        {
            if (tags[^1] is not { Key: "quicksilver.node", Value: string node }) return;
            if (node.StartsWith("shared ", StringComparison.Ordinal))
                named.GetOrAdd(instrument.Name, static _ => []).Add(node);
        }
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
                if (instrument.Meter.Name == "QuickSilver" && instrument is Histogram<double>)
                    listener.EnableMeasurementEvents(instrument);
            },
        };
        listener.SetMeasurementEventCallback<double>((instrument, seconds, tags, _) =>
        {
            if (!"one".Equals(tags[^1].Value)) return;
            string phase = tags.Length > 1 ? $" {tags[0].Value}" : "";
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
