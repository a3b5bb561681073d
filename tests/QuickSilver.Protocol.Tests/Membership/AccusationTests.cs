using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Server;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>
/// Nodes that live on their channel to the server, and that others cannot reach, or that read nothing: whose word
/// counts, and who goes.
/// </summary>
public sealed class AccusationTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void MemberThatTwoCannotReachIsRemovedAfterTheDetectorPeriod()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(4);
        nodes[0].Observing = (observed, now) => observed.Accuse(nodes[3], now);
        nodes[1].Observing = (observed, _) => observed.Hearsay(nodes[3]);
        world.Run(9 * Second);
        Assert.True(nodes[3].IsLive);
        world.Run(4 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[3].Expelled);
        Assert.All(nodes[..3], node => Assert.True(node.IsLive));
        nodes[0].Observing = nodes[1].Observing = null;
        world.Run(30 * Second);
        world.CheckQuiet();
        Assert.Equal(3, world.Server.Statistics.Nodes);
    }

    [Fact]
    public void OneNodesWordTakesTwiceAsLong()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        nodes[0].Observing = (observed, now) =>
        {
            if (nodes[2].IsLive) observed.Accuse(nodes[2], now);
        };
        world.Run(19 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
        world.Run(5 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[2].Expelled);
        world.Run(60 * Second);
        Assert.All(nodes[..2], node => Assert.True(node.IsLive));
    }

    [Fact]
    public void HearsayAloneIsNotEnough()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(4);
        foreach (WorldNode node in nodes[..3]) node.Observing = (observed, _) => observed.Hearsay(nodes[3]);
        world.Run(60 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    [Fact]
    public void OfTwoOneIsEnough()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(2);
        nodes[0].Observing = (observed, now) => observed.Accuse(nodes[1], now);
        world.Run(13 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[1].Expelled);
        Assert.True(nodes[0].IsLive);
    }

    [Fact]
    public void OneAnswerClears()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(4);
        Instant answered = world.Now;
        nodes[0].Observing = (observed, now) =>
        {
            // Silent for eight seconds, an answer, silent again.
            if (now - answered > 8 * Second) answered = now;
            observed.Accuse(nodes[3], now - answered);
        };
        nodes[1].Observing = (observed, _) => observed.Hearsay(nodes[3]);
        world.Run(60 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    [Fact]
    public void ReportsThatStopDoNotCountOn()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(4);
        int turn = 0;
        nodes[0].Observing = (observed, now) =>
        {
            // As from an accuser that is frozen itself now and then, and finds that nobody has answered meanwhile.
            if (turn++ % 10 < 8) observed.Accuse(nodes[3], now);
        };
        nodes[1].Observing = (observed, _) => observed.Hearsay(nodes[3]);
        world.Run(60 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    [Fact]
    public void WhoFindsAllOthersSilentIsDeafItself()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(5);
        nodes[0].Observing = (observed, now) =>
        {
            foreach (WorldNode other in nodes[1..]) observed.Accuse(other, now);
        };
        foreach (WorldNode node in nodes[1..])
        {
            node.Observing = (observed, now) =>
            {
                if (!nodes[0].IsLive) return;
                observed.Accuse(nodes[0], now);
                foreach (WorldNode other in nodes[1..])
                {
                    if (other != node) observed.Hearsay(other);
                }
            };
        }
        world.Run(30 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[0].Expelled);
        Assert.All(nodes[1..], node => Assert.True(node.IsLive, node.Name));
    }

    [Fact]
    public void TheSmallerPartOfAPartitionGoes()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(5);
        foreach (WorldNode node in nodes)
        {
            bool isSmall = node == nodes[0] || node == nodes[1];
            node.Observing = (observed, now) =>
            {
                foreach (WorldNode other in isSmall ? nodes[2..] : nodes[..2])
                {
                    if (other.IsLive) observed.Accuse(other, now);
                }
            };
        }
        world.Run(40 * Second);
        Assert.All(nodes[..2], node => Assert.Equal(MembershipRefusal.Unreachable, node.Expelled));
        Assert.All(nodes[2..], node => Assert.True(node.IsLive, node.Name));
    }

    [Fact]
    public void DetectorThatIsOffRemovesNobody()
    {
        var world = new MembershipWorld(
            settings: new MembershipServerSettings { FailureTimeout = Timeout.InfiniteTimeSpan });
        WorldNode[] nodes = world.Found(4);
        foreach (WorldNode node in nodes[..3]) node.Observing = (observed, now) => observed.Accuse(nodes[3], now);
        world.Run(100 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(1, true)]
    [InlineData(0, false)]
    [InlineData(1, false)]
    public void OfTwoThatAccuseEachOtherTheOneGoesThatReadsNothingOrThatNobodyAnswers(int worse, bool isDeaf)
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(2);
        Instant since = world.Now;
        for (int index = 0; index < 2; index++)
        {
            int self = index;
            nodes[self].Observing = (observed, now) =>
            {
                if (!nodes[1 - self].IsLive) return;
                observed.Accuse(nodes[1 - self], now - since);
                if (self != worse) return;
                if (isDeaf) observed.UnheardFor = now - since;
                else observed.UnansweredFor = now - since;
            };
        }
        world.Run(30 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[worse].Expelled);
        Assert.True(nodes[1 - worse].IsLive);
    }

    // The word of the one that is well was halved by a hop that had just gone unanswered, and so it was found to be the
    // worse of the two.
    [Fact]
    public void PassingSilenceOfAnotherTakesNothingFromAnAccusersWord()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        Instant since = world.Now;
        nodes[1].Observing = (observed, now) =>
        {
            if (!nodes[2].IsLive) return;
            observed.Accuse(nodes[2], now - since);
            observed.Accuse(
                nodes[0], TimeSpan.FromMilliseconds((now - since).Ticks / TimeSpan.TicksPerMillisecond % 100));
        };
        nodes[2].Observing = (observed, now) => observed.Accuse(nodes[1], now - since);
        world.Run(40 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[2].Expelled);
        Assert.All(nodes[..2], node => Assert.True(node.IsLive));
    }

    // Two that were deaf had nothing to ask; the only one that was well was answered by nobody, and said so.
    [Fact]
    public void WhoIsAmongSilentNodesIsNotTakenForSilent()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        Instant since = world.Now;
        nodes[0].Observing = (observed, now) =>
        {
            foreach (WorldNode other in nodes[1..])
            {
                if (other.IsLive) observed.Accuse(other, now - since);
            }
            observed.UnansweredFor = now - since;
        };
        world.Run(30 * Second);
        Assert.True(nodes[0].IsLive);
        Assert.All(nodes[1..], node => Assert.Equal(MembershipRefusal.Unreachable, node.Expelled));
    }

    // The mute one's word was a little older, and confirmed first.
    [Fact]
    public void WordOfOneWhomNobodyAnswersDoesNotConfirmAgainstOneWhoIsAnswered()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(2);
        Instant since = world.Now;
        nodes[1].Observing = (observed, now) =>
        {
            observed.Accuse(nodes[0], now - since);
            observed.UnansweredFor = now - since;
        };
        nodes[0].Observing = (observed, now) =>
        {
            if (nodes[1].IsLive && now - since > 4 * Second) observed.Accuse(nodes[1], now - since - (4 * Second));
        };
        world.Run(30 * Second);
        Assert.True(nodes[0].IsLive);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[1].Expelled);
    }

    [Fact]
    public void NodeThatReadsNothingIsRemovedThoughItSpeaks()
    {
        var world = new MembershipWorld();
        WorldNode[] nodes = world.Found(3);
        world.OnFrameToNode = (node, frame) => node == nodes[2] ? [2, 0] : frame;
        nodes[0].Join("more");
        world.Run(9 * Second);
        Assert.True(nodes[2].IsLive);
        world.Run(5 * Second);
        Assert.Equal(2, world.Server.Statistics.Nodes);
        Assert.Equal(1UL, world.Server.CountOf(MembershipRefusal.Unconfirmed));
    }

    // A node that confirmed by its installations, and had something new under way at each heartbeat, was taken for one
    // that reads nothing.
    [Fact]
    public void NodeThatIsToldOfOneStepAfterAnotherIsNotTakenForDeaf()
    {
        var world = new MembershipWorld(3) { MaxDelay = Second / 5 };
        WorldNode[] nodes = world.AddMany(6);
        foreach (WorldNode node in nodes) node.Join("g");
        for (int round = 0; round < 600; round++)
        {
            WorldNode node = nodes[round % 6];
            string name = $"x{round % 6}";
            if (!node.Wanted.Contains(name)) node.Join(name);
            else if (node.Groups.ContainsKey(name)) node.Leave(name);
            world.Run(Second / 10);
            Assert.All(nodes, other => Assert.True(other.IsLive, $"{other.Name} {other.Expelled}"));
        }
        world.Run(5 * Second);
        world.CheckQuiet();
    }
}
