using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Ordering;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Ordering;

/// <summary>The arithmetic of the token, member by member.</summary>
public sealed class RingTurnTests
{
    private static readonly BufferPool Pool = new();

    [Fact]
    public void PacketsAreStableWhenTwoRoundsHaveSaidSo()
    {
        Member[] ring = [new(1), new(2), new(3)];
        var token = new RingToken();
        ring[0].Send(token, 2, ring);
        ring[1].Send(token, 0, ring);
        ring[2].Send(token, 0, ring);
        Assert.Equal(2UL, token.Held);
        Assert.Equal(0UL, ring[2].Turn.Stable);
        ring[0].Send(token, 0, ring);
        Assert.Equal(2UL, ring[0].Turn.Stable);
        Assert.Equal(0UL, ring[1].Turn.Stable);
        ring[1].Send(token, 0, ring);
        Assert.Equal(2UL, ring[1].Turn.Stable);
    }

    [Fact]
    public void AMemberThatLacksAPacketLowersWhatIsHeldAndRaisesItAlone()
    {
        Member[] ring = [new(1), new(2), new(3)];
        var token = new RingToken();
        ring[0].Send(token, 3, ring[0], ring[2]);
        ring[1].Send(token, 0, ring);
        Assert.Equal((0UL, 2UL), (token.Held, token.LoweredBy));
        ring[2].Send(token, 0, ring);
        ring[0].Send(token, 0, ring);
        Assert.Equal((0UL, 2UL), (token.Held, token.LoweredBy));
        for (ulong sequence = 1; sequence <= 3; sequence++) ring[1].Take(sequence);
        ring[1].Send(token, 0, ring);
        Assert.Equal((3UL, 0UL), (token.Held, token.LoweredBy));
        Assert.All(ring, member => Assert.Equal(0UL, member.Turn.Stable));
    }

    [Fact]
    public void HolesAreAskedForUpToTheTokenBeforeAlone()
    {
        Member[] ring = [new(1), new(2)];
        var token = new RingToken();
        ring[0].Send(token, 2, ring[0]);
        ring[1].Send(token, 0, ring);
        Assert.Empty(token.Asked);
        ring[0].Send(token, 2, ring[0]);
        ring[1].Send(token, 0, ring);
        Assert.Equal([new SequenceRange(1, 3)], token.Asked);
    }

    [Fact]
    public void TheOriginalRingAsksAtOnce()
    {
        var settings = new RingSettings { AcceleratedWindow = 0 };
        Member[] ring = [new(1, settings), new(2, settings)];
        var token = new RingToken();
        ring[0].Send(token, 2, ring[0]);
        ring[1].Send(token, 0, ring);
        Assert.Equal([new SequenceRange(1, 3)], token.Asked);
    }

    [Theory]
    [InlineData(0, 20, 20)]
    [InlineData(15, 20, 5)]
    [InlineData(15, 10, 0)]
    public void ThePacketsOfTheWindowLeaveAfterTheToken(int accelerated, int sent, int before)
    {
        var member = new Member(1, new RingSettings { AcceleratedWindow = accelerated });
        Assert.Equal(before, member.Turn.BeforeToken(sent));
    }

    [Fact]
    public void WindowsLimitWhatIsSent()
    {
        var member = new Member(1);
        Assert.Equal(20, member.Turn.Allowed(new RingToken(), resent: 0, global: 160));
        Assert.Equal(5, member.Turn.Allowed(new RingToken { Flow = 150 }, resent: 5, global: 160));
        Assert.Equal(0, member.Turn.Allowed(new RingToken { Flow = 160 }, resent: 0, global: 160));
        ulong far = RingTurn.MaxGap - 3;
        Assert.Equal(3, member.Turn.Allowed(new RingToken { Sequence = far }, resent: 0, global: 160));
    }

    [Fact]
    public void WhatAMemberSentInTheRoundBeforeDoesNotCountForIt()
    {
        Member[] ring = [new(1), new(2)];
        var token = new RingToken();
        ring[0].Send(token, 12, ring);
        ring[1].Send(token, 7, ring);
        Assert.Equal(19U, token.Flow);
        Assert.Equal(13, ring[0].Turn.Allowed(token, resent: 0, global: 20));
        ring[0].Send(token, 1, ring);
        Assert.Equal(8U, token.Flow);
    }

    private sealed class Member
    {
        private readonly RingLog _log = new(new OrderedCounters(), []);

        public Member(ulong key, RingSettings? settings = null) =>
            Turn = new RingTurn(key, _log, settings ?? new RingSettings());

        public RingTurn Turn { get; }

        public void Take(ulong sequence)
        {
            if (!_log.Has(sequence))
                _log.Add(new RingPacket(sequence, 0, 1, new Slice(Pool.Rent(BufferOwner.Cache), 0, 1), 0));
        }

        public void Send(RingToken token, int packets, params Member[] heardBy)
        {
            for (int index = 1; index <= packets; index++)
            {
                foreach (Member member in heardBy) member.Take(token.Sequence + (ulong)index);
            }
            Turn.End(token, packets, resent: 0);
        }
    }
}
