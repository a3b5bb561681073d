using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Recovery.Ring;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Stack;

/// <summary>
/// What a node does with datagrams that are well-formed, come from a member, and lie about what nobody can have: they
/// cost no time beyond their length, and the group lives on.
/// </summary>
public sealed class LyingMemberTests
{
    private const ulong Endless = 1UL << 62;
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    private readonly StackWorld _world = new(3);
    private readonly RegionView _view;
    private ulong _round = 1000;

    public LyingMemberTests()
    {
        _world.JoinAll("news");
        for (int node = 0; node < 3; node++) _world.Nodes[node].Say("news", $"hello of {node}");
        _world.RunFor(TimeSpan.FromSeconds(2));
        _view = _world.Nodes[0].Stack.FindGroup("news")!.Regions[0];
    }

    [Fact]
    public async Task ARemovedSenderThatMissesWithoutEndCostsNothing()
    {
        byte[] token = Token(1, 0, token =>
        {
            token.AddRemoved(At(2));
            TokenStream record = token.Add(Key(2), _view.Partitions.Count);
            record.Highest = 1;
            record.Orphan();
            record.Missing.Want(2, Endless);
        });
        await TakeAsync(1, token);
        Assert.Equal(1UL, _world.Nodes[1].Stack.Counters.Rejected[RejectReason.Malformed]);
    }

    [Fact]
    public async Task ACleanupPointThatNobodyHasReachedIsRefusedSoThatClosingTheStreamEnds()
    {
        byte[] cleanup = Token(1, 0, token =>
        {
            token.AddRemoved(At(2));
            TokenStream record = token.Add(Key(2), _view.Partitions.Count);
            record.Cleanup = Endless;
            record.Highest = 1;
            record.Orphan();
        });
        await TakeAsync(1, cleanup);
        await TakeAsync(1, Token(1, 0, token =>
        {
            token.AddRemoved(At(2));
            token.Add(Key(2), _view.Partitions.Count).Close(1);
        }));
        Assert.Equal(1UL, _world.Nodes[1].Stack.Counters.Rejected[RejectReason.Malformed]);
    }

    [Fact]
    public async Task ALeaderIsToldOfAStreamClosedBeyondTheWindowAndDoesNotWalkThere()
    {
        // The first hop of a round is lost, so the round is under way.
        _world.Nodes[1].IsDeaf = true;
        _world.LastSent.Clear();
        _world.Nodes[0].Say("news", "begin a round");
        _world.RunFor(TimeSpan.FromMilliseconds(3));
        var reader = new WireReader(_world.LastSent[DatagramKind.Token].AsSpan(DatagramHeader.Length));
        TokenHop under = TokenHop.Read(ref reader, _view.Members.Length, []);
        Assert.Equal(At(0), under.Leader);
        byte[] done = Token(
            0,
            1,
            token =>
            {
                token.Phase = TokenPhase.Done;
                token.AddRemoved(At(2));
                token.Add(Key(2), _view.Partitions.Count).Close(1UL << 40);
            },
            under with { Hop = 1000, From = At(1), To = At(0) });
        await TakeAsync(0, done);
    }

    [Fact]
    public async Task AStreamOfVeryManyGapsIsClosedInOneGo()
    {
        const ulong Gaps = 100_000;
        StackNode node = _world.Nodes[0];
        for (ulong sequence = 4; sequence <= 2 * (Gaps + 1); sequence += 2)
            node.Take(Packet(2, sequence), SocketRole.Unicast);
        byte[] closed = Token(
            0,
            1,
            token =>
            {
                token.AddRemoved(At(2));
                token.Add(Key(2), _view.Partitions.Count).Close(2 * (Gaps + 1));
            },
            new TokenHop(Epoch: 7, At(1), 1, 3, At(1), At(0), 0, 1));
        await TakeAsync(0, closed);
        Assert.Equal(Gaps + 1, node.Stack.Rooms.RecoveryCounters.PacketsAbandoned); // 2 and 3 as well
    }

    [Theory]
    [InlineData(5)]
    [InlineData(1_000_000)]
    public void ABeaconThatSaysTooMuchDoesNotWedgeItsSender(ulong highest)
    {
        foreach (int node in (int[])[0, 2])
            _world.Nodes[
                node].Take(Datagram(DatagramKind.Beacon, Key(1), highest, [], DatagramFlags.None), SocketRole.Unicast);
        _world.RunFor(TimeSpan.FromSeconds(1));
        _world.Nodes[1].Say("news", "after the lie");
        _world.RunFor(TimeSpan.FromSeconds(60));
        Assert.All(
            _world.Nodes,
            static node => Assert.Contains(
                node.Heard, static line => line.EndsWith("after the lie", StringComparison.Ordinal)));
        Assert.All(_world.Nodes, static node => Assert.False(node.Self!.IsRemoved));
        Assert.Equal(0, _world.Nodes[1].Stack.FindGroup("news")!.PendingMessages);
    }

    [Fact]
    public void ALeapFarBeyondTheWindowIsNotBelievedBeforeASecondWordConfirmsIt()
    {
        const ulong Far = 500_000;
        StackNode node = _world.Nodes[0];
        ulong missed = node.Stack.Counters.PacketsMissed;
        foreach (byte[] lie in (byte[][])[Beacon(Far), Packet(1, 2 * Far)])
        {
            node.Take(lie, SocketRole.Unicast);
            ulong sent = node.Stack.Rooms.RecoveryCounters.ControlSent;
            _world.RunFor(TimeSpan.FromMilliseconds(1));
            Assert.Equal(missed, node.Stack.Counters.PacketsMissed);
            Assert.Equal(sent, node.Stack.Rooms.RecoveryCounters.ControlSent);
        }
        Assert.Equal(2UL, node.Stack.Counters.Rejected[RejectReason.BeyondWindow]);
        node.Take(Beacon((2 * Far) + 5), SocketRole.Unicast);
        Assert.True(node.Stack.Counters.PacketsMissed > missed + Far);
    }

    [Theory]
    [InlineData(64u, 0u, true)]
    [InlineData(65u, 0u, false)]
    [InlineData(uint.MaxValue, 0u, false)]
    [InlineData(0u, 1u << 20, true)]
    [InlineData(0u, 1u << 21, false)]
    public void ATokenMayBeAheadByAFewEpochsAndManyRounds(uint epochs, uint rounds, bool isTaken)
    {
        StackNode node = _world.Nodes[1];
        TokenRing ring = node.Stack.Rooms.Recoverer.Regions[0].Ring;
        uint epoch = ring.Epoch;
        ulong round = ring.Round + (rounds == 0 ? 1 : (ulong)rounds);
        node.Take(
            Token(1, 0, static _ => { }, new TokenHop(epoch + epochs, At(0), round, 3, At(0), At(1), 0, 1)),
            SocketRole.Control);
        Assert.Equal(isTaken ? 0UL : 1UL, node.Stack.Counters.Rejected[RejectReason.BeyondWindow]);
        Assert.Equal(isTaken ? round : ring.Round, ring.Round);
        _world.Nodes[2].Say("news", "the ring goes on");
        _world.RunFor(TimeSpan.FromSeconds(20));
        Assert.All(
            _world.Nodes,
            static one => Assert.Contains(
                one.Heard, static line => line.EndsWith("the ring goes on", StringComparison.Ordinal)));
        Assert.Equal(0, _world.Nodes[2].Stack.FindGroup("news")!.PendingMessages);
    }

    [Fact]
    public void AMemberThatWasCutOffForVeryLongBelievesATokenFarAhead()
    {
        StackNode node = _world.Nodes[1];
        TokenRing ring = node.Stack.Rooms.Recoverer.Regions[0].Ring;
        // Something is unstable, and no other token comes.
        foreach (int deaf in (int[])[0, 2]) _world.Nodes[deaf].IsDeaf = true;
        node.Say("news", "unheard");
        uint epoch = ring.Epoch + 1000;
        for (int second = 0; second < 60 && ring.Epoch < epoch; second++)
        {
            node.Take(
                Token(1, 0, static _ => { }, new TokenHop(epoch, At(0), ring.Round + 1, 3, At(0), At(1), 0, 1)),
                SocketRole.Control);
            _world.RunFor(TimeSpan.FromSeconds(1));
        }
        Assert.True(ring.Epoch >= epoch);
        Assert.True(node.Stack.Counters.Rejected[RejectReason.BeyondWindow] > 1);
    }

    [Fact]
    public void WhatIsMissingBesideALieIsRepaired()
    {
        _world.Nodes[2].IsDeaf = true;
        _world.Nodes[0].Take(Datagram(DatagramKind.Beacon, Key(1), 50, [], DatagramFlags.None), SocketRole.Unicast);
        _world.Nodes[0].IsDeaf = true;
        _world.Nodes[1].Say("news", "lost once");
        _world.RunFor(TimeSpan.FromMilliseconds(1));
        _world.Nodes[0].IsDeaf = false;
        _world.Nodes[1].Say("news", "and this one not");
        _world.RunFor(TimeSpan.FromSeconds(8));
        Assert.Contains(_world.Nodes[0].Heard, static line => line.EndsWith("lost once", StringComparison.Ordinal));
        Assert.Contains(
            _world.Nodes[0].Heard, static line => line.EndsWith("and this one not", StringComparison.Ordinal));
    }

    private int At(int node) => _view.IndexOf(Key(node));

    private ulong Key(int node) => _world.Nodes[node].Self!.Number.Key;

    // On a thread of its own: should it never end, the test does.
    private async Task TakeAsync(int node, byte[] datagram) =>
        await Task.Run(() => _world.Nodes[node].Take(datagram, SocketRole.Control)).WaitAsync(Limit);

    private byte[] Token(int to, int from, Action<Token> fill, TokenHop? hop = null)
    {
        var token = new Token();
        token.Clear();
        token.Phase = TokenPhase.Walk;
        token.Partition = _view.Partitions.OfMember(At(to));
        token.PartitionLead = At(to);
        fill(token);
        byte[] body = new byte[1300];
        var writer = new WireWriter(body);
        (hop ?? new TokenHop(0, At(from), ++_round, 3, At(from), At(to), 0, 1)).WriteTo(ref writer, []);
        token.WriteTo(ref writer, 0);
        return Datagram(DatagramKind.Token, Key(from), 0, body.AsSpan(0, writer.Written), DatagramFlags.None);
    }

    private byte[] Beacon(ulong highest) => Datagram(DatagramKind.Beacon, Key(1), highest, [], DatagramFlags.None);

    private byte[] Packet(int node, ulong sequence)
    {
        byte[] body = new byte[40];
        var writer = new WireWriter(body);
        writer.WriteVarint(0);
        PacketRecord.WriteHead(ref writer, _view.Number.Epoch, 0, sequence + 100, false, default, 1, 0, 1);
        writer.WriteByte(7);
        return Datagram(
            DatagramKind.Data, Key(node), sequence, body.AsSpan(0, writer.Written), DatagramFlags.PayloadChecksum);
    }

    private byte[] Datagram(
        DatagramKind kind, ulong sender, ulong sequence, ReadOnlySpan<byte> body, DatagramFlags flags)
    {
        byte[] datagram = new byte[DatagramHeader.Length + body.Length];
        body.CopyTo(datagram.AsSpan(DatagramHeader.Length));
        new DatagramHeader
        {
            Kind = kind,
            Flags = flags,
            Cluster = _world.Cluster,
            ViewTag = _view.Number.Tag,
            ViewCounter = _view.Number.Counter,
            Sender = sender,
            Sequence = sequence,
        }.WriteTo(datagram);
        return datagram;
    }
}
