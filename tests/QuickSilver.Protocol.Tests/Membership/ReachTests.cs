using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Nodes that live on their channel to the server, and that others cannot reach; and joins that say whom they wait for.</summary>
public sealed class ReachTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Fact]
    public void MemberThatTwoCannotReachIsRemovedAfterTheDetectorPeriod()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(4);
        nodes[0].Observing = (observed, now) => Accuse(observed, nodes[3], now);
        nodes[1].Observing = (observed, _) => Hearsay(observed, nodes[3]);
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
        (MembershipWorld world, WorldNode[] nodes) = Make(3);
        nodes[0].Observing = (observed, now) =>
        {
            if (nodes[2].IsLive) Accuse(observed, nodes[2], now);
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
        (MembershipWorld world, WorldNode[] nodes) = Make(4);
        foreach (WorldNode node in nodes[..3]) node.Observing = (observed, _) => Hearsay(observed, nodes[3]);
        world.Run(60 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    [Fact]
    public void OfTwoOneIsEnough()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(2);
        nodes[0].Observing = (observed, now) => Accuse(observed, nodes[1], now);
        world.Run(13 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[1].Expelled);
        Assert.True(nodes[0].IsLive);
    }

    [Fact]
    public void OneAnswerClears()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(4);
        Instant answered = world.Now;
        nodes[0].Observing = (observed, now) =>
        {
            // Silent for eight seconds, an answer, silent again.
            if (now - answered > 8 * Second) answered = now;
            observed.Silent.Add(new SilentMember(Key(nodes[3]), now - answered, true));
        };
        nodes[1].Observing = (observed, _) => Hearsay(observed, nodes[3]);
        world.Run(60 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    [Fact]
    public void ReportsThatStopDoNotCountOn()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(4);
        int turn = 0;
        nodes[0].Observing = (observed, now) =>
        {
            // As from an accuser that is frozen itself now and then, and finds that nobody has answered meanwhile.
            if (turn++ % 10 < 8) Accuse(observed, nodes[3], now);
        };
        nodes[1].Observing = (observed, _) => Hearsay(observed, nodes[3]);
        world.Run(60 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    [Fact]
    public void WhoFindsAllOthersSilentIsDeafItself()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(5);
        nodes[0].Observing = (observed, now) =>
        {
            foreach (WorldNode other in nodes[1..]) Accuse(observed, other, now);
        };
        foreach (WorldNode node in nodes[1..])
        {
            node.Observing = (observed, now) =>
            {
                if (!nodes[0].IsLive) return;
                Accuse(observed, nodes[0], now);
                foreach (WorldNode other in nodes[1..])
                {
                    if (other != node) Hearsay(observed, other);
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
        (MembershipWorld world, WorldNode[] nodes) = Make(5);
        foreach (WorldNode node in nodes)
        {
            bool isSmall = node == nodes[0] || node == nodes[1];
            node.Observing = (observed, now) =>
            {
                foreach (WorldNode other in isSmall ? nodes[2..] : nodes[..2])
                {
                    if (other.IsLive) Accuse(observed, other, now);
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
        (MembershipWorld world, WorldNode[] nodes) = Make(4, new MembershipServerSettings { FailureTimeout = Timeout.InfiniteTimeSpan });
        foreach (WorldNode node in nodes[..3]) node.Observing = (observed, now) => Accuse(observed, nodes[3], now);
        world.Run(100 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void SenderThatHearsNothingFromAnEndedViewIsRemoved(bool hears)
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(4);
        nodes[3].HoldsDone = true;
        nodes[0].Join("more");
        world.Run(Second);
        Assert.Equal(3, world.Server.Statistics.UnretiredViews);
        ulong heard = 0;
        nodes[3].Observing = (observed, _) =>
        {
            if (hears) heard++;
            foreach (var view in nodes[3].Undone) observed.Draining.Add(new DrainingView(view, heard, false));
        };
        world.Run(19 * Second);
        Assert.True(nodes[3].IsLive);
        world.Run(10 * Second);
        Assert.Equal(hears, nodes[3].IsLive);
        if (!hears) Assert.Equal(MembershipRefusal.Unreachable, nodes[3].Expelled);
        Assert.All(nodes[..3], node => Assert.True(node.IsLive));
    }

    [Fact]
    public void SenderIsWaitedForWhileAMemberIsAccused()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(4);
        nodes[3].HoldsDone = true;
        nodes[0].Join("more");
        world.Run(Second);
        nodes[3].Observing = (observed, _) =>
        {
            foreach (var view in nodes[3].Undone) observed.Draining.Add(new DrainingView(view, 0, false));
        };
        nodes[0].Observing = (observed, now) =>
        {
            if (nodes[1].IsLive) Accuse(observed, nodes[1], now);
        };
        nodes[2].Observing = (observed, _) => Hearsay(observed, nodes[1]);
        world.Run(15 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[1].Expelled);
        Assert.True(nodes[3].IsLive);
    }

    // Somebody else was removed again and again, and each time the sender's time began anew.
    [Fact]
    public void RemovalInOtherViewsDoesNotGiveTheSenderTime()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(3);
        nodes[2].HoldsDone = true;
        nodes[0].Join("more");
        WorldNode[] others = world.AddMany(4);
        foreach (WorldNode other in others) other.Join("other");
        world.Run(Second);
        nodes[2].Observing = (observed, _) => Wait(observed, nodes[2], 0, false);
        foreach (WorldNode other in others)
        {
            world.Run(6 * Second);
            other.Leave("other");
            world.Break(other);
        }
        world.Run(3 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[2].Expelled);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void LoneMemberThatDoesNotAnswerGoesIfTheSenderIsAnsweredElsewhere(bool isAnswered)
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(2);
        nodes[0].HoldsDone = true;
        nodes[0].Join("more");
        world.Run(Second);
        nodes[0].Observing = (observed, _) => Wait(observed, nodes[0], 0, isAnswered);
        world.Run(30 * Second);
        Assert.Equal(isAnswered, nodes[0].IsLive);
        Assert.Equal(!isAnswered, nodes[1].IsLive);
    }

    // A mute member outlived its neighbours, which accused it until they went themselves; each time the sender's time began anew.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void LoneMemberThatDoesNotAnswerIsNotExcusedByThoseThatAccuseIt(bool isAnswered)
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(2);
        nodes[0].HoldsDone = true;
        nodes[0].Join("more");
        WorldNode other = world.AddMany(1)[0];
        other.Join("other");
        world.Run(Second);
        nodes[0].Observing = (observed, _) => Wait(observed, nodes[0], 0, isAnswered);
        other.Observing = (observed, now) =>
        {
            if (nodes[1].IsLive && (now - Instant.Zero).Seconds % 10 < 5) observed.Silent.Add(new SilentMember(Key(nodes[1]), TimeSpan.Zero, true));
        };
        world.Run(30 * Second);
        Assert.True(nodes[0].IsLive);
        Assert.True(other.IsLive);
        Assert.Equal(!isAnswered, nodes[1].IsLive);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void LoneMemberThatAsksAndReadsNothingGoesThoughItIsHeard(bool reads)
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(2);
        nodes[0].HoldsDone = true;
        nodes[0].Join("more");
        world.Run(Second);
        Instant since = world.Now;
        ulong heard = 0;
        nodes[0].Observing = (observed, _) => Wait(observed, nodes[0], heard++, false);
        nodes[1].Observing = (observed, now) => observed.UnheardFor = reads ? TimeSpan.Zero : now - since;
        world.Run(19 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
        world.Run(5 * Second);
        Assert.True(nodes[0].IsLive);
        Assert.Equal(reads, nodes[1].IsLive);
    }

    [Fact]
    public void WhoReadsNothingThoughNobodyWaitsForItStays()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(2);
        Instant since = world.Now;
        nodes[1].Observing = (observed, now) => observed.UnheardFor = now - since;
        world.Run(60 * Second);
        Assert.All(nodes, node => Assert.True(node.IsLive));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void OfTwoThatAccuseEachOtherTheOneGoesThatReadsNothing(int deaf)
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(2);
        Instant since = world.Now;
        for (int index = 0; index < 2; index++)
        {
            int self = index;
            nodes[self].Observing = (observed, now) =>
            {
                if (!nodes[1 - self].IsLive) return;
                observed.Silent.Add(new SilentMember(Key(nodes[1 - self]), now - since, true));
                if (self == deaf) observed.UnheardFor = now - since;
            };
        }
        world.Run(30 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[deaf].Expelled);
        Assert.True(nodes[1 - deaf].IsLive);
    }

    // The word of the one that is well was halved by a hop that had just gone unanswered, and so it was found to be the worse of the two.
    [Fact]
    public void PassingSilenceOfAnotherTakesNothingFromAnAccusersWord()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(3);
        Instant since = world.Now;
        nodes[1].Observing = (observed, now) =>
        {
            if (!nodes[2].IsLive) return;
            observed.Silent.Add(new SilentMember(Key(nodes[2]), now - since, true));
            observed.Silent.Add(new SilentMember(Key(nodes[0]), TimeSpan.FromMilliseconds((now - since).Ticks / TimeSpan.TicksPerMillisecond % 100), true));
        };
        nodes[2].Observing = (observed, now) => observed.Silent.Add(new SilentMember(Key(nodes[1]), now - since, true));
        world.Run(40 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[2].Expelled);
        Assert.All(nodes[..2], node => Assert.True(node.IsLive));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void OfTwoThatAccuseEachOtherTheOneGoesThatNobodyAnswers(int mute)
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(2);
        Instant since = world.Now;
        for (int index = 0; index < 2; index++)
        {
            int self = index;
            nodes[self].Observing = (observed, now) =>
            {
                if (!nodes[1 - self].IsLive) return;
                observed.Silent.Add(new SilentMember(Key(nodes[1 - self]), now - since, true));
                if (self == mute) observed.UnansweredFor = now - since;
            };
        }
        world.Run(30 * Second);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[mute].Expelled);
        Assert.True(nodes[1 - mute].IsLive);
    }

    // Two that were deaf had nothing to ask; the only one that was well was answered by nobody, and said so.
    [Fact]
    public void WhoIsAmongSilentNodesIsNotTakenForSilent()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(3);
        Instant since = world.Now;
        nodes[0].Observing = (observed, now) =>
        {
            foreach (WorldNode other in nodes[1..])
            {
                if (other.IsLive) observed.Silent.Add(new SilentMember(Key(other), now - since, true));
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
        (MembershipWorld world, WorldNode[] nodes) = Make(2);
        Instant since = world.Now;
        nodes[1].Observing = (observed, now) =>
        {
            observed.Silent.Add(new SilentMember(Key(nodes[0]), now - since, true));
            observed.UnansweredFor = now - since;
        };
        nodes[0].Observing = (observed, now) =>
        {
            if (nodes[1].IsLive && now - since > 4 * Second) observed.Silent.Add(new SilentMember(Key(nodes[1]), now - since - (4 * Second), true));
        };
        world.Run(30 * Second);
        Assert.True(nodes[0].IsLive);
        Assert.Equal(MembershipRefusal.Unreachable, nodes[1].Expelled);
    }

    [Fact]
    public void NodeThatReadsNothingIsRemovedThoughItSpeaks()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(3);
        world.OnFrameToNode = (node, frame) => node == nodes[2] ? [2, 0] : frame;
        nodes[0].Join("more");
        world.Run(9 * Second);
        Assert.True(nodes[2].IsLive);
        world.Run(5 * Second);
        Assert.Equal(2, world.Server.Statistics.Nodes);
        Assert.Equal(1UL, world.Server.CountOf(MembershipRefusal.Unreachable));
    }

    // A node that confirmed by its installations, and had something new under way at each heartbeat, was taken for one that reads nothing.
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

    [Fact]
    public void JoinIsToldWhomItWaitsFor()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(3, new MembershipServerSettings { FailureTimeout = Timeout.InfiniteTimeSpan });
        nodes[1].HoldsSwitch = true;
        WorldNode late = world.Add("late");
        late.Join("g");
        world.Run(Second / 2);
        Assert.Null(late.Agent.JoinsWaitFor);
        world.Run(2 * Second);
        JoinWait wait = Assert.IsType<JoinWait>(late.Agent.JoinsWaitFor);
        Assert.Equal(JoinStage.Switch, wait.Stage);
        Assert.StartsWith("n1(", Assert.Single(wait.Names), StringComparison.Ordinal);
        nodes[1].SendHeldReports();
        world.Run(2 * Second);
        Assert.Null(late.Agent.JoinsWaitFor);
        world.CheckQuiet();
    }

    // A step that was activated without a node went on naming it when it had been removed.
    [Fact]
    public void JoinThatWaitsForOneThatHasNotInstalledIsToldSoUntilThatIsRemoved()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(3, new MembershipServerSettings { ReconnectGrace = 10 * Second });
        nodes[1].HoldsSwitch = true;
        world.Break(nodes[2]);
        WorldNode late = world.Add("late");
        late.Join("g");
        world.Run(6 * Second);
        Assert.Equal(JoinStage.Install, late.Agent.JoinsWaitFor?.Stage);
        Assert.StartsWith("n2(", Assert.Single(late.Agent.JoinsWaitFor!.Names), StringComparison.Ordinal);
        world.Run(6 * Second);
        Assert.Equal(JoinStage.Switch, late.Agent.JoinsWaitFor?.Stage);
        Assert.StartsWith("n1(", Assert.Single(late.Agent.JoinsWaitFor!.Names), StringComparison.Ordinal);
    }

    [Fact]
    public void JoinThatTooManyOldViewsHoldBackIsToldWhoIsNotDone()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(2, new MembershipServerSettings { FailureTimeout = Timeout.InfiniteTimeSpan });
        nodes[1].HoldsDone = true;
        var late = new List<WorldNode>();
        for (int index = 0; index < 6; index++)
        {
            late.Add(world.Add($"late{index}"));
            late[^1].Join("g");
            world.Run(2 * Second);
        }
        JoinWait wait = Assert.IsType<JoinWait>(late[^1].Agent.JoinsWaitFor);
        Assert.Equal(JoinStage.Drain, wait.Stage);
        Assert.StartsWith("n1(", Assert.Single(wait.Names), StringComparison.Ordinal);
        Assert.Null(late[0].Agent.JoinsWaitFor);
    }

    [Fact]
    public void JoinThatStreamsOfARemovedNodeHoldBackIsToldWhoHasNotClosedThem()
    {
        (MembershipWorld world, WorldNode[] nodes) = Make(3);
        nodes[1].HoldsClosed = true;
        var late = new List<WorldNode>();
        for (int index = 0; index < 6; index++)
        {
            // Each dies in a view of its own, which nodes[1] does not let retire.
            late.Add(world.Add($"late{index}"));
            late[^1].Join("g");
            world.Run(2 * Second);
            if (index < 4) late[^1].Crash();
            world.Run(3 * Second);
        }
        JoinWait wait = Assert.IsType<JoinWait>(late[^1].Agent.JoinsWaitFor);
        Assert.Equal(JoinStage.Drain, wait.Stage);
        Assert.StartsWith("n1(", Assert.Single(wait.Names), StringComparison.Ordinal);
    }

    private static (MembershipWorld World, WorldNode[] Nodes) Make(int count, MembershipServerSettings? settings = null)
    {
        var world = new MembershipWorld(1, settings);
        WorldNode[] nodes = world.AddMany(count);
        foreach (WorldNode node in nodes) node.Join("g");
        world.Run(Second);
        return (world, nodes);
    }

    private static ulong Key(WorldNode node) => node.Agent.Cluster.Self!.Number.Key;

    private static void Accuse(NodeObservations observed, WorldNode accused, Instant now) =>
        observed.Silent.Add(new SilentMember(Key(accused), now - Instant.Zero, true));

    private static void Wait(NodeObservations observed, WorldNode sender, ulong heard, bool isAnswered)
    {
        foreach (var view in sender.Undone) observed.Draining.Add(new DrainingView(view, heard, isAnswered));
    }

    private static void Hearsay(NodeObservations observed, WorldNode accused) => observed.Silent.Add(new SilentMember(Key(accused), TimeSpan.Zero, false));
}
