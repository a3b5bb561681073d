using QuickSilver.Protocol.Timed;
using QuickSilver.Testing;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Timed;

/// <summary>Newer states of objects take the place of older ones.</summary>
public sealed class ReplacementTests
{
    private static readonly LinkModel Lossy = new() { Loss = 0.05 };

    [Theory]
    [InlineData(1, false)]
    [InlineData(4, false)]
    [InlineData(4, true)]
    public void FourOfFiveRequestsForPositionsAreSaved(int keys, bool isLatestOnly)
    {
        ulong off = Run(keys, new TimedSettings { Replaces = false }).Naks;
        (ulong on, ulong replaced, _) = Run(keys, new TimedSettings { LatestOnly = isLatestOnly });

        Assert.True(on <= off / 5, $"{on} requests with superseding, {off} without");
        Assert.True(replaced > 0);
    }

    [Fact]
    public void WhatIsReplacedIsNotReportedLost()
    {
        (_, ulong replaced, ulong expired) = Run(2, new TimedSettings());

        Assert.True(replaced > 100, $"only {replaced} were replaced");
        Assert.True(expired * 50 <= replaced, $"{expired} of {replaced} replaced messages were reported lost");
    }

    private static (ulong Naks, ulong Replaced, ulong Expired) Run(int keys, TimedSettings settings)
    {
        SimulatedCluster cluster = TimedRun.Begin(8, seed: 21, settings, Lossy, keys);
        var interval = TimeSpan.FromMilliseconds(33.0 / keys);
        for (int node = 0; node < 8; node++) cluster.Start(new SendPlan(node, TimedRun.Group, 120 * keys, interval));
        cluster.RunFor(TimeSpan.FromSeconds(9));
        ulong naks = TimedRun.Sum(cluster, static counters => counters.NaksSent);
        ulong replaced = TimedRun.Sum(cluster, static counters => counters.Replaced);
        ulong expired = TimedRun.Sum(cluster, static counters => counters.Expired);
        cluster.Shutdown();
        return (naks, replaced, expired);
    }
}
