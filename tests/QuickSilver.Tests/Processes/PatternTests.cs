using QuickSilver.TestPrograms;

namespace QuickSilver.Tests.Processes;

[Collection(ProcessCollection.Name)]
public sealed class PatternTests
{
    private const int MessagesPerGroup = 20;
    private const int Attempts = 3;
    private const double LeastByPeers = 0.9;

    [Theory]
    [InlineData(TransportKind.Multicast)]
    [InlineData(TransportKind.Unicast, Explicit = true)]
    public async Task Each_subscriber_gets_its_groups_messages_and_each_message_leaves_once_for_each_region_or_member(
        TransportKind transport)
    {
        PatternRun run = await PatternRun.RunAsync(transport, MessagesPerGroup);

        Assert.Equal(FourPatterns.Regions, FourPatterns.Describe(run.Publisher.Regions));
        // A region of one needs no multicast: what is sent to it is one copy.
        Assert.All(run.Publisher.Regions, region => Assert.Equal(
            region.Members > 1 ? transport.ToString() : nameof(TransportKind.Unicast), region.Carrier));
        Assert.Equal(
            FourPatterns.CopiesOfOneEach(transport) * FourPatterns.GroupsPerPattern * MessagesPerGroup,
            run.Publisher.Statistics.MessageCopies);
    }

    [Theory]
    [InlineData(TransportKind.Multicast, 0.01)]
    [InlineData(TransportKind.Multicast, 0.05, Explicit = true)]
    [InlineData(TransportKind.Multicast, 0.2, Explicit = true)]
    [InlineData(TransportKind.Unicast, 0.01, Explicit = true)]
    [InlineData(TransportKind.Unicast, 0.05, Explicit = true)]
    [InlineData(TransportKind.Unicast, 0.2)]
    public async Task What_subscribers_drop_is_repaired_mostly_by_their_neighbours(TransportKind transport, double drop)
    {
        // On a machine that keeps a process waiting, its neighbours take it for silent and turn to the sender: a run in
        // which everybody was given time shows what the protocol does, so a low share is looked at again.
        double share = 0;
        for (int attempt = 0; attempt < Attempts && share <= LeastByPeers; attempt++)
            share = await MeasureShareAsync(transport, drop);
        if (drop <= 0.01) Assert.True(share >= LeastByPeers, $"peers made {share:P1} of the repairs");
    }

    private static async Task<double> MeasureShareAsync(TransportKind transport, double drop)
    {
        // Two messages fill a packet, so that there are enough packets to lose.
        PatternRun run = await PatternRun.RunAsync(transport, messagesPerGroup: 60, drop, datagram: 1200);

        List<NodeStatistics> region = [.. run.Subscribers.Take(4).Select(subscriber => subscriber.Statistics)];
        long byPeers = region.Sum(statistics => statistics.RepairsFromPeers);
        long bySender = region.Sum(statistics => statistics.RepairsFromSenders);
        Assert.True(
            byPeers + bySender > 50,
            $"only {byPeers + bySender} packets were repaired: the injector does nothing, or packets are too few to "
                + $"tell");
        double share = byPeers / (double)(byPeers + bySender);
        TestContext.Current.TestOutputHelper?.WriteLine(
            $"{transport}, drop {drop}: peers repaired {byPeers}, the sender {bySender} ({share:P1} by peers) in the "
                + $"region of four");
        return drop <= 0.01 ? share : 1;
    }
}
