using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Recovery;

public sealed class TokenRingTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    [Theory]
    [InlineData(1, 5)]
    [InlineData(2, 5)]
    [InlineData(5, 5)]
    [InlineData(12, 5)]
    [InlineData(25, 5)]
    [InlineData(7, 1)]
    public void TellsTheSenderWhatIsStableAndThenFallsSilent(int members, int replication)
    {
        var world = new RingWorld(members, replication);
        world.SendPackets(40);
        world.RunFor(Second);

        Assert.Equal(40UL, world.Stable);
        int hops = world.TokenHops, acks = world.Acks.Count;
        world.RunFor(10 * Second);
        Assert.Equal((hops, acks), (world.TokenHops, world.Acks.Count));
        Assert.All(world.Members, member => Assert.Equal(0, member.Counters.CachedBytes));
    }

    [Theory]
    [InlineData(5, 5)]
    [InlineData(25, 5)]
    [InlineData(9, 1)]
    public void ARoundHasAHopForEachMemberAndEachPartition(int members, int replication)
    {
        var world = new RingWorld(members, replication);
        world.SendPackets(1);
        int partitions = world.View.Partitions.Count;
        // A partition of one begins and closes its walk in place; with a single partition its close is the end of the
        // round.
        int hops = partitions > 1 ? partitions : 0;
        for (int partition = 0; partition < partitions; partition++)
        {
            int size = world.View.Partitions.SizeOf(partition);
            if (size > 1) hops += size;
        }
        Assert.Equal(hops, world.TokenHops);
    }

    public static TheoryData<string> SpoiltTokens => ["garbage", "misplaced", "removes its reader"];

    [Theory]
    [MemberData(nameof(SpoiltTokens))]
    public void ATokenThatIsRejectedDoesNotTouchTheOneInHand(string what)
    {
        var world = new RingWorld(3) { Loses = static (header, to) => header.Kind == DatagramKind.Token && to == 2 };
        world.SendPackets(40);
        TokenHop hop = Read(world.TokenBodies[^1], out _);
        Assert.Equal((1, 2), (hop.From, hop.To));

        // The hop from 1 to 2 waits for its answer.
        Span<byte> body = stackalloc byte[256];
        var writer = new WireWriter(body);
        (hop with { Round = hop.Round + 1, Hop = 1, From = 0, To = 1 }).WriteTo(ref writer, []);
        if (what == "garbage")
        {
            writer.Reserve(20).Fill(0xFF);
        }
        else
        {
            var token = new Token { Phase = what == "misplaced" ? TokenPhase.Done : TokenPhase.Walk };
            if (what != "misplaced") token.AddRemoved(1);
            token.WriteTo(ref writer, 0);
        }
        DatagramHeader header = world.Header(DatagramKind.Token, 0) with { Sender = world.View.Members[0].Number.Key };
        RejectReason expected = what == "removes its reader" ? RejectReason.RemovedSender : RejectReason.Malformed;
        Assert.Equal(expected, world.Members[1].Region.OnToken(header, body[..writer.Written], world.Now));

        int sent = world.Hops.Count;
        world.RunFor(Second);
        int home = world.Hops.FindIndex(sent, static hop => hop == (1, 0));
        TokenHop last = Read(world.TokenBodies[home], out Token kept);
        Assert.Equal(hop.Round, last.Round);
        Assert.Equal(1, kept.StreamCount);
    }

    private static TokenHop Read(byte[] body, out Token token)
    {
        var reader = new WireReader(body);
        TokenHop hop = TokenHop.Read(ref reader, 3, []);
        token = new Token();
        Assert.True(token.TryRead(reader.ReadBytes(reader.Remaining), 3, 1));
        return hop;
    }

    [Fact]
    public void TheWalkAgreesWithANaivePlanWhoeverIsRemoved()
    {
        for (ulong seed = 1; seed <= 150; seed++)
        {
            var random = new SeededRandom(seed);
            int members = 1 + (int)random.NextBelow(30);
            var world = new RingWorld(members, 1 + (int)random.NextBelow(6));
            var live = new List<int>();
            for (int member = 0; member < members; member++)
            {
                if (random.NextDouble() < 0.3) world.View.Members[member].IsRemoved = true;
                else live.Add(member);
            }
            if (live.Count == 0) continue;
            world.SendPackets(1);
            Assert.True(Plan(world, live).SequenceEqual(world.Hops), $"seed {seed}: {string.Join(' ', world.Hops)}");
        }
    }

    /// <summary>
    /// How the token is handed on in one round: each partition in a circle from its first live member, then on to the
    /// next, then home.
    /// </summary>
    private static List<(int From, int To)> Plan(RingWorld world, List<int> live)
    {
        var stops = new List<int> { live[0] };
        int partitions = world.View.Partitions.Count;
        for (int partition = 0; partition < partitions; partition++)
        {
            List<int> circle = live.FindAll(member => member % partitions == partition);
            if (circle.Count == 0) continue;
            stops.AddRange(circle);
            stops.Add(circle[0]);
        }
        stops.Add(live[0]);
        var hops = new List<(int From, int To)>();
        for (int index = 1; index < stops.Count; index++)
        {
            if (stops[index - 1] != stops[index]) hops.Add((stops[index - 1], stops[index]));
        }
        return hops;
    }

    [Fact]
    public void AGapIsRepairedByThePartitionAndTheSenderHearsNothing()
    {
        var world = new RingWorld(
            10)
        {
            Loses = (header, to) => header.Kind == DatagramKind.Data && header.Sequence is >= 5 and <= 12
                && to == 3
        };
        world.SendPackets(20);
        world.RunFor(Second);

        Assert.Equal(20UL, world.Stable);
        Assert.Empty(world.Naks);
        Assert.Equal(20UL, world.Members[3].Received);
        Assert.Equal(8UL, world.Members[3].Counters.RepairsFromPeers);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void AWidePullIsAnsweredWithinBounds(int partition)
    {
        // Two partitions, so the second form asks for all.
        var world = new RingWorld(10) { Loses = static (header, _) => header.Kind == DatagramKind.Token };
        world.SendPackets(20_000);
        Assert.Equal(2, world.View.Partitions.Count);
        var body = new byte[PullBody.MaxLength];
        var writer = new WireWriter(body);
        PullBody.Write(
            ref writer, world.Sender.Number.Key, partition, 0,
            [new SequenceRange(1, 8_000), new SequenceRange(8_001, 1 << 20)]);
        DatagramHeader header = world.Header(DatagramKind.Pull, 0) with { Sender = world.View.Members[2].Number.Key };
        Assert.Equal(
            RejectReason.None, world.Members[0].Region.OnPull(header, body.AsSpan(0, writer.Written), world.Now));
        world.Settle();
        Assert.Equal(4096, world.PeerRepairs);
    }

    [Fact]
    public void WhatAllMissIsAskedFromTheSenderOnce()
    {
        var world = new RingWorld(
            10)
        { Loses = (header, _) => header.Kind == DatagramKind.Data && header.Sequence == 7 };
        world.SendPackets(20);
        world.RunFor(Second);

        Assert.Equal(20UL, world.Stable);
        Assert.All(world.Members, member => Assert.Equal(20UL, member.Received));
        Assert.InRange(world.Naks.Count, 1, 4);
    }

    [Fact]
    public void WithoutEagerPullTheTokenAloneRepairs()
    {
        var world = new RingWorld(11, settings: new RecoverySettings { EagerPull = false })
        {
            Loses = (header, to) => header.Kind == DatagramKind.Data
                && ((header.Sequence % 7 == 3 && to % 3 == 0) || header.Sequence == 5),
        };
        world.SendPackets(30);
        world.RunFor(2 * Second);
        Assert.Equal(30UL, world.Stable);
        Assert.All(world.Members, member => Assert.Equal(30UL, member.Received));
    }

    // A packet of the other partition is asked for, and comes late by itself. Then a packet of the own one is lost.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void APacketThatComesLateByItselfIsNotAskedForInVain(bool eagerPull)
    {
        ulong late = 0, lost = 0;
        var world = new RingWorld(4, replication: 2, settings: new RecoverySettings { EagerPull = eagerPull })
        {
            Loses = (header, to) => header.Kind == DatagramKind.PathQuery || (to == 2
                && ((header.Sequence == late && header.Kind is DatagramKind.Data or DatagramKind.Repair)
                    || (header.Sequence == lost && header.Kind == DatagramKind.Data))),
        };
        PartitionMap map = world.View.Partitions;
        Assert.Equal(2, map.Count);
        int own = map.OfMember(2);
        late = map.OfSequence(5) == own ? 6UL : 5;
        lost = map.OfSequence(11) == own ? 11UL : 12;
        world.SendPackets(10);
        world.SendBeacon();
        world.RunFor(TimeSpan.FromMilliseconds(300));
        Assert.Equal(9UL, world.Members[2].Received);
        Assert.True(world.Members[2].Counters.PullsSent > 0);
        int sequence = (int)late;
        late = 0;
        world.SendAgain(sequence, 2);
        world.RunFor(3 * Second);
        Assert.Equal(10UL, world.Stable);

        Assert.False(world.Members[2].Region.Gaps.AsksInVain(world.Now));
        world.SendPackets(2);
        world.SendBeacon();
        world.RunFor(TimeSpan.FromMilliseconds(50));
        Assert.Equal(12UL, world.Members[2].Received);
    }

    // A removed sender that only the leader was told of keeps the ring going. All others have nothing to do with it.
    [Fact]
    public void AMemberThatOnlyTheLeaderWaitsForIsFoundSilentByThoseThatAskIt()
    {
        var world = new RingWorld(4);
        ulong mute = world.View.Members[2].Number.Key;
        world.Loses = (header, _) => header.Sender == mute;
        var gone = new NodeInfo(
            new NodeNumber(world.View.Number.Epoch, 2000), "gone", 1, new NetEndpoint(2000, 1),
            new NetEndpoint(2000, 2), 1 << 20)
        { IsRemoved = true };
        world.Members[0].Learn(gone, world.Now);
        world.RunFor(3 * Second);

        Assert.False(world.Members[1].Region.IsActive);
        Assert.Contains(mute, world.Members[1].FindSilent(world.Now));
        world.Loses = (_, _) => false;
        world.RunFor(3 * Second);
        Assert.Contains(gone, world.Members[0].Closed);
        Assert.All(world.Members, member => Assert.Empty(member.FindSilent(world.Now)));
    }

    [Fact]
    public void ALostTailIsFoundByTheBeacon()
    {
        var world = new RingWorld(
            6)
        { Loses = (header, to) => header.Kind == DatagramKind.Data && header.Sequence > 8 && to == 2 };
        world.SendPackets(10);
        world.SendBeacon();
        world.RunFor(Second);

        Assert.Equal(10UL, world.Stable);
        Assert.Equal(10UL, world.Members[2].Received);
    }

    [Fact]
    public void ABeaconForAStableStreamIsAnsweredWithoutARound()
    {
        var world = new RingWorld(5);
        world.SendPackets(3);
        world.RunFor(Second);
        int hops = world.TokenHops, acks = world.Acks.Count;
        world.SendBeacon();
        world.RunFor(Second);

        Assert.Equal(hops, world.TokenHops);
        Assert.Equal(acks + 1, world.Acks.Count);
        Assert.Equal(3UL, world.Stable);
    }

    [Fact]
    public void ASilentMemberIsSkippedAndHoldsStabilityBack()
    {
        var world = new RingWorld(5) { Loses = (_, to) => to == 2 };
        world.SendPackets(4);
        world.RunFor(Second);

        Assert.Equal(0UL, world.Stable);
        Assert.NotEmpty(world.Acks);
        Assert.Equal(4UL, world.Acks[^1].ReadPosition);

        world.Loses = (_, _) => false;
        world.SendBeacon();
        world.RunFor(3 * Second);
        Assert.Equal(4UL, world.Stable);
        Assert.Equal(4UL, world.Members[2].Received);
    }

    [Theory]
    [InlineData(1300)]
    [InlineData(512)]
    public void HoweverManyMembersAreSilentTheTokenStaysWellFormed(int slotBytes)
    {
        const int members = 400;
        var world = new RingWorld(members, slotBytes: slotBytes) { Loses = (_, to) => to != 0 };
        world.SendPackets(4);
        world.RunFor(150 * Second);

        int most = 0, parts = 0;
        var token = new List<byte>();
        foreach (byte[] body in world.TokenBodies)
        {
            Assert.InRange(DatagramHeader.Length + body.Length, 1, slotBytes);
            var reader = new WireReader(body);
            var skipped = new List<int>();
            TokenHop hop = TokenHop.Read(ref reader, members, skipped);
            Assert.False(reader.Failed);
            most = Math.Max(most, skipped.Count);
            if (hop.Part == 0) token.Clear();
            token.AddRange(reader.ReadBytes(reader.Remaining));
            parts = Math.Max(parts, hop.Parts);
            if (hop.Part == hop.Parts - 1)
                Assert.True(new Token().TryRead(token.ToArray(), members, world.View.Partitions.Count));
        }
        Assert.InRange(most, slotBytes / 8, members);
        Assert.Equal(0UL, world.Stable);
    }

    [Fact]
    public void ARemovedMemberIsBypassed()
    {
        var world = new RingWorld(7) { Loses = (_, to) => to is 0 or 3 };
        world.SendPackets(4);
        world.RunFor(TimeSpan.FromMilliseconds(300));
        world.View.Members[0].IsRemoved = true;
        world.View.Members[3].IsRemoved = true;
        world.RunFor(3 * Second);

        Assert.Equal(4UL, world.Stable);
    }

    [Fact]
    public void ASilentLeaderIsReplaced()
    {
        var world = new RingWorld(5) { Loses = (_, to) => to == 0 };
        world.SendPackets(4);
        world.RunFor(3 * Second);
        Assert.True(world.Members[1].Counters.Takeovers > 0);
        Assert.NotEmpty(world.Acks);

        world.Loses = (_, _) => false;
        world.SendBeacon();
        world.RunFor(3 * Second);
        Assert.Equal(4UL, world.Stable);
    }

    [Theory]
    [InlineData(1UL)]
    [InlineData(2UL)]
    [InlineData(3UL)]
    [InlineData(4UL)]
    [InlineData(5UL)]
    public void HeavyLossOfEverythingIsSurvived(ulong seed)
    {
        var random = new SeededRandom(seed);
        var world = new RingWorld(13) { Loses = (_, _) => random.NextDouble() < 0.3 };
        for (int burst = 0; burst < 20; burst++)
        {
            world.SendPackets(10);
            world.RunFor(TimeSpan.FromMilliseconds(7));
        }
        for (int wait = 0; wait < 60 && world.Stable < 200; wait++)
        {
            world.SendBeacon();
            world.RunFor(TimeSpan.FromMilliseconds(500));
        }
        Assert.Equal(200UL, world.Stable);
        Assert.All(world.Members, member => Assert.Equal(200UL, member.Received));
        foreach (RingMember member in world.Members) member.Close();
        Assert.All(world.Members, member => Assert.Equal(0, member.Pool.OutstandingChunks));
    }
}
