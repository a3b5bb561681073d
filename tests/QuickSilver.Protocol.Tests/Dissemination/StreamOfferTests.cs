using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>When a stream offers its node's memory to the members, and what an offer says.</summary>
public sealed class StreamOfferTests
{
    [Fact]
    public void TheMemoryIsOfferedBesideTrainsAtDoublingDistancesWhileAMemberDoesNotRead()
    {
        var lend = new LendWorld(members: 4);
        lend.Open(2, 4);
        var beside = new List<int>();
        for (int train = 1; train <= 40; train++)
        {
            SentTrain[] sent = lend.Send(1);
            Assert.Equal(DatagramKind.Data, sent[0].Kind);
            Assert.InRange(sent.Length, 1, 2);
            if (sent.Length == 2) beside.Add(train);
        }

        Assert.Equal([1, 2, 4, 8, 16, 32], beside);
        Assert.Equal(6, lend.Offers.Count());
        Assert.Equal(0UL, lend.World.Counters.PacketsLent);
        Assert.Equal(0, lend.Memory.Outstanding);
    }

    [Fact]
    public void AnOfferNamesTheMemoryAndTheHighestSequenceSoFar()
    {
        var lend = new LendWorld();
        lend.Send(5000);
        SentTrain offer = Assert.Single(lend.Offers);

        Assert.Equal(new NoteBody(lend.Memory.Segment, default), LendWorld.Note(offer.Datagrams[0]));
        Assert.Equal((TrainRoute.Region, PriorityClass.Data), (offer.Route, offer.Priority));
        DatagramHeader header = Assert.Single(offer.Headers);
        Assert.Equal((lend.World.Self.Number.Key, lend.Stream.Highest), (header.Sender, header.Sequence));
        Assert.Equal((lend.View.Number.Tag, lend.View.Number.Counter), (header.ViewTag, header.ViewCounter));
        Assert.Equal(4UL, header.Sequence);
    }

    [Fact]
    public void NothingIsOfferedToMembersWhoAllRead()
    {
        var lend = new LendWorld(blocks: 2);
        lend.Open();
        // Short ones alone are sent, and so is what no block is left for.
        for (int train = 0; train < 20; train++) lend.Send(1);
        lend.Send(200_000);
        Assert.NotEmpty(lend.NoteTrains);
        Assert.NotEqual(0UL, lend.World.Counters.PacketsSent - lend.World.Counters.PacketsLent);

        Assert.Empty(lend.Offers);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, true)]
    [InlineData(true, false)]
    public void WhereNothingCanBeLentNothingIsOffered(bool unicast, bool shares)
    {
        var lend = new LendWorld(unicast: unicast, shares: shares);
        for (int train = 0; train < 20; train++) lend.Send(3000);
        lend.Open();
        Assert.False(lend.Lends());

        Assert.All(lend.World.Trains, static train => Assert.Equal(DatagramKind.Data, train.Kind));
        Assert.Equal(0, lend.Memory.Outstanding);
        Assert.Equal(0, lend.Memory.ReadersAsked);
    }

    [Fact]
    public void WhoReadsWhenAnotherHasLeftIsOfferedNothingUntilTheDistanceIsReached()
    {
        var lend = new LendWorld();
        for (int train = 1; train <= 3; train++) lend.Send(1);
        Assert.Equal(2, lend.Offers.Count());
        lend.Open();
        Assert.True(lend.Lends());
        lend.Memory.Leave(lend.Key(2));
        Assert.False(lend.Lends());
        Assert.Equal(3, lend.Offers.Count());
    }
}
