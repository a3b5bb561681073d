using System.Diagnostics;
using QuickSilver.Monitoring;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Tests.Monitoring;

/// <summary>What a monitor makes of the snapshots of many nodes.</summary>
public sealed class ClusterTableTests(ITestOutputHelper output)
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly ClusterTable _table = new("tests");
    private readonly SnapshotWriter _writer = new();
    private Instant _now = new(TimeSpan.TicksPerSecond);

    [Fact]
    public void Rates_are_changes_by_the_uptime_of_the_node()
    {
        Take(1, sent: 100, uptime: 10);
        Assert.Equal(new NodeRates(), Row(1).Rates);
        Take(1, sent: 300, uptime: 12);
        Assert.Equal(100, Row(1).Rates.MessagesSent);
        Take(1, sent: 350, uptime: 12);
        Assert.Equal(100, Row(1).Rates.MessagesSent);
        Take(1, sent: 10, uptime: 13);
        Assert.Equal(0, Row(1).Rates.MessagesSent);
        Take(1, sent: 20, uptime: 1);
        Assert.Equal(new NodeRates(), Row(1).Rates);
        Take(1, sent: long.MaxValue, uptime: 2);
        Assert.True(double.IsFinite(Row(1).Rates.MessagesSent));
    }

    [Fact]
    public void A_node_without_word_is_silent_and_keeps_its_row_until_it_is_gone()
    {
        Take(1);
        Take(2);
        _now += 4 * Second;
        Take(2);
        Assert.Equal((true, false), (Row(1).IsSilent, Row(2).IsSilent));
        Assert.InRange(Row(1).Age, 4 * Second, 7 * Second);
        _table.Remove(SnapshotSamples.Node(1).Id);
        Take(1);
        Assert.Equal([SnapshotSamples.Node(2)], Build().Nodes.Select(static node => node.Snapshot.Member));
        Assert.Equal(0, Build().SnapshotsRejected);
    }

    [Fact]
    public void What_breaks_a_bound_or_comes_too_often_is_counted_and_changes_nothing()
    {
        Take(1, sent: 5);
        _table.Take(SnapshotSamples.Node(2), "junk"u8, _now);
        Assert.Equal(1, Build().SnapshotsRejected);
        // What was held back comes at once. Somebody who goes on like that is not read.
        for (int sent = 6; sent <= 20; sent++) _table.Take(SnapshotSamples.Node(1), Bytes(1, sent), _now);
        Assert.Equal(1 + 5, Build().SnapshotsRejected);
        Assert.Equal(15, Row(1).Snapshot.Statistics.MessagesSent);
        Assert.Single(Build().Nodes);
    }

    [Fact]
    public void Nodes_are_in_the_order_of_their_names()
    {
        foreach (int number in new[] { 3, 1, 2 }) Take(number);
        Assert.Equal(["n001", "n002", "n003"], Build().Nodes.Select(static node => node.Snapshot.Member.Name));
        Assert.Equal("n002", Build().Find(SnapshotSamples.Node(2).Id)!.Snapshot.Member.Name);
        Assert.Null(Build().Find(SnapshotSamples.Node(4).Id));
    }

    [Fact]
    public void A_slow_member_has_one_entry_in_the_words_of_who_waits_for_most()
    {
        Take(1, slowest: [SnapshotSamples.Lag(7, 10), SnapshotSamples.Lag(8, 5_000, holdsUp: false)]);
        Take(2, slowest: [SnapshotSamples.Lag(9, 20), SnapshotSamples.Lag(7, 300)]);
        Assert.Equal(
            [("n007", 300), ("n009", 20), ("n008", 5_000)],
            Build().Slowest.Select(static lag => (lag.Member.Name, lag.Packets)));
        // What a silent node said last counts no more.
        _now += 3.5 * Second;
        Take(1, slowest: [SnapshotSamples.Lag(7, 10)]);
        Assert.Equal([("n007", 10)], Build().Slowest.Select(static lag => (lag.Member.Name, lag.Packets)));
    }

    // Two hundred rounds measure it: code is compiled in the first ones.
    [Theory]
    [InlineData(3)]
    [InlineData(200, Explicit = true)]
    public void Two_hundred_nodes_with_ten_thousand_groups_make_one_snapshot(int rounds)
    {
        const int nodes = 200;
        byte[][] bytes = [.. Enumerable.Range(0, nodes).Select(
            number => _writer.Write(SnapshotSamples.Full(number), SnapshotLimits.Bytes).ToArray())];
        Assert.All(bytes, static one => Assert.InRange(one.Length, 1, SnapshotLimits.Bytes));
        long total = bytes.Sum(static one => (long)one.Length);
        for (int round = 0; round < rounds; round++)
        {
            long start = Stopwatch.GetTimestamp();
            for (int number = 0; number < nodes; number++)
                _table.Take(SnapshotSamples.Node(number), bytes[number], _now);
            TimeSpan reading = Stopwatch.GetElapsedTime(start);
            start = Stopwatch.GetTimestamp();
            ClusterSnapshot built = Build();
            TimeSpan building = Stopwatch.GetElapsedTime(start);
            output.WriteLine($"{nodes} nodes: {total:N0} bytes, read in {reading.TotalMilliseconds:0.0} ms, "
                + $"built in {building.TotalMilliseconds:0.00} ms");
            Assert.Equal((nodes, 8, 0), (built.Nodes.Count, built.Slowest.Count, built.SnapshotsRejected));
            _now += Second;
        }
    }

    private ClusterSnapshot Build() => _table.Build(_now);

    private NodeReport Row(int number) => Build().Find(SnapshotSamples.Node(number).Id)!;

    private void Take(int number, long sent = 0, double uptime = 1, IReadOnlyList<MemberLag>? slowest = null)
    {
        _now += TimeSpan.FromMilliseconds(200);
        _table.Take(SnapshotSamples.Node(number), Bytes(number, sent, uptime, slowest), _now);
    }

    private byte[] Bytes(int number, long sent = 0, double uptime = 1, IReadOnlyList<MemberLag>? slowest = null)
    {
        NodeSnapshot snapshot = SnapshotSamples.Full(number, groups: 1, regions: 1);
        return _writer.Write(
            snapshot with
            {
                Slowest = slowest ?? [],
                Statistics = snapshot.Statistics with
                {
                    MessagesSent = sent,
                    Uptime = TimeSpan.FromSeconds(uptime),
                },
            },
            SnapshotLimits.Bytes).ToArray();
    }
}
