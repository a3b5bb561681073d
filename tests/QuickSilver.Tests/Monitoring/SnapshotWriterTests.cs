using QuickSilver.Monitoring;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Monitoring;

/// <summary>A snapshot fits its limit, whatever the node has; what matters least goes first.</summary>
[Collection(NodeCollection.Name)]
public sealed class SnapshotWriterTests
{
    private static readonly Member Sender = SnapshotSamples.Node(7);

    [Fact]
    public void Lists_are_cut_from_their_ends_until_the_limit_is_kept()
    {
        var writer = new SnapshotWriter();
        NodeSnapshot whole = SnapshotSamples.Full(1, name: new string('語', 85));
        int before = int.MaxValue;
        foreach (int limit in new[] { SnapshotLimits.Bytes, 32 << 10, 16 << 10, 8 << 10 })
        {
            ReadOnlySpan<byte> bytes = writer.Write(whole, limit);
            Assert.InRange(bytes.Length, 1, limit);
            NodeSnapshot read = SnapshotReader.TryRead(bytes, Sender)!;
            int kept = read.Groups.Count + read.Regions.Count + read.Views.Count;
            Assert.InRange(kept, 0, before);
            before = kept;
            Assert.Equal(
                whole.Regions.Take(read.Regions.Count).Select(static region => region.Number),
                read.Regions.Select(static region => region.Number));
        }
    }

    [Fact]
    public void What_fits_is_whole()
    {
        NodeSnapshot whole = SnapshotSamples.Full(1, regions: 16);
        NodeSnapshot read = SnapshotReader.TryRead(
            new SnapshotWriter().Write(whole, SnapshotLimits.Bytes), Sender)!;
        Assert.Equal((32, 16, 16, 8, 8),
            (read.Groups.Count, read.Regions.Count, read.Views.Count, read.Slowest.Count, read.Inboxes.Count));
    }

    [Fact]
    public void Where_not_even_the_counters_fit_nothing_is_written() =>
        Assert.True(new SnapshotWriter().Write(SnapshotSamples.Full(1), 100).IsEmpty);

    [Fact]
    public async Task A_node_with_ten_thousand_groups_has_a_snapshot_within_the_limit()
    {
        await using var rig = new NodeRig();
        QuickSilverNode node = await rig.StartAsync();
        for (int batch = 0; batch < 10; batch++)
        {
            await node.JoinManyAsync(
                Enumerable.Range(batch * 1_000, 1_000).Select(static number => $"group-{number:00000}"),
                new GroupOptions { BufferBeforeFirstRead = false }).WaitAsync(NodeRig.Patience);
        }
        Group busy = await node.JoinAsync("busy");
        await busy.SendConfirmedAsync(new byte[1_000]);
        await using ClusterMonitor monitor = await node.MonitorClusterAsync();
        await NodeRig.UntilAsync(() => monitor.Latest.Nodes.Count == 1, "its snapshot");
        NodeSnapshot shown = monitor.Latest.Nodes[0].Snapshot;
        // With the group of snapshots.
        Assert.Equal(10_002, shown.Statistics.Groups);
        Assert.Equal(32, shown.Groups.Count);
        Assert.Equal("busy", shown.Groups[0].Name);
        Assert.InRange(new SnapshotWriter().Write(shown, SnapshotLimits.Bytes).Length, 1, SnapshotLimits.Bytes);
    }
}
