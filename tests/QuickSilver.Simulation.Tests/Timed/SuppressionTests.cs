using QuickSilver.Protocol.Timed;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing;
using QuickSilver.Testing.Faults;
using QuickSilver.Testing.Network;

namespace QuickSilver.Simulation.Tests.Timed;

/// <summary>How many members ask for a packet that all of them lack.</summary>
public sealed class SuppressionTests
{
    private const int Receivers = 45;

    private static readonly TimeSpan OneWay = TimeSpan.FromMilliseconds(2);

    // The reference's model gives 2.1 requests with exponential waits of up to four round trips, 6.6 with uniform ones.
    [Theory]
    [InlineData(NakTimers.Exponential, 4, 1.4, 3.2)]
    [InlineData(NakTimers.Exponential, 8, 1.0, 2.2)]
    [InlineData(NakTimers.Uniform, 4, 4.5, 9.0)]
    public void AFewOfFortyFiveMembersAskForOnePacket(Enum timers, double roundTrips, double least, double most)
    {
        var settings = new TimedSettings
        {
            NakTimers = (NakTimers)timers,
            NakRoundTrips = roundTrips,
            Grace = TimeSpan.Zero,
            PartnersRepair = false,
            FirstRoundTrip = 2 * OneWay,
            TimeToLive = TimeSpan.FromSeconds(1),
        };
        var link = new LinkModel { Delay = OneWay, Jitter = TimeSpan.Zero };
        SimulatedCluster cluster = TimedRun.Begin(Receivers + 1, seed: 11, settings, link);
        cluster.Start(new SendPlan(0, TimedRun.Group, 2, TimeSpan.FromMilliseconds(500)));
        cluster.RunFor(TimeSpan.FromSeconds(2));
        const int Losses = 20;
        ulong before = TimedRun.Sum(cluster, static counters => counters.NaksSent);
        for (int loss = 0; loss < Losses; loss++)
        {
            // The first of two packets reaches nobody; the second shows that.
            TimeSpan at = cluster.Elapsed + TimeSpan.FromMilliseconds(100);
            cluster.Inject(
                new KindLoss(at, TimeSpan.FromSeconds(1), DatagramKind.TimedData, Receivers, From: 0, To: null));
            cluster.Start(new SendPlan(0, TimedRun.Group, 2, TimeSpan.FromMilliseconds(30))
            {
                Start = TimeSpan.FromMilliseconds(110),
            });
            cluster.RunFor(TimeSpan.FromSeconds(2));
        }
        double asked = (TimedRun.Sum(cluster, static counters => counters.NaksSent) - before) / (double)Losses;

        Assert.InRange(asked, least, most);
        Assert.Equal(0UL, TimedRun.Sum(cluster, static counters => counters.Expired));
        cluster.Shutdown();
    }
}
