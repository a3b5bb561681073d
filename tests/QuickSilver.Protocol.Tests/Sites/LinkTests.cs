using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>One link: its states, what is asked for and when, and what strangers cannot do.</summary>
public class LinkTests
{
    private static TimeSpan Ms(double milliseconds) => TimeSpan.FromMilliseconds(milliseconds);

    [Fact]
    public void ALinkConnectsAfterSixHellosAndNotBefore()
    {
        var pair = new LinkPair();
        pair.First.Link.Start(pair.Now);
        Assert.Equal(LinkState.Connecting, pair.First.Link.State);
        pair.Second.Link.Start(pair.Now);
        // The way there and back, and six hellos with 25 ms between them.
        pair.RunFor(Ms(120));
        Assert.Equal(LinkState.Connecting, pair.First.Link.State);
        pair.RunFor(Ms(50));
        Assert.Equal(LinkState.Up, pair.First.Link.State);
        Assert.Equal(LinkState.Up, pair.Second.Link.State);
        Assert.Equal(Ms(20), pair.First.Link.RoundTrip.Least);
    }

    [Fact]
    public void ALinkFailsAfterTenMissedHellosAndConnectsAgain()
    {
        LinkPair pair = LinkPair.Up();
        pair.Loses = static (_, _, _) => true;
        pair.RunFor(Ms(900));
        Assert.Equal(LinkState.Up, pair.First.Link.State);
        pair.RunFor(Ms(250));
        Assert.Equal(LinkState.Failed, pair.First.Link.State);
        Assert.Equal([(LinkFailure.Silence, 0)], pair.First.Failures);
        pair.Loses = static (_, _, _) => false;
        pair.RunFor(TimeSpan.FromSeconds(3));
        Assert.Equal(LinkState.Up, pair.First.Link.State);
        Assert.Equal(LinkState.Up, pair.Second.Link.State);
    }

    [Fact]
    public void ALinkThatIsStoppedIsDownAndTheOtherEndSeesASilence()
    {
        LinkPair pair = LinkPair.Up();
        pair.First.Link.Stop(pair.Now);
        Assert.Equal(LinkState.Down, pair.First.Link.State);
        pair.RunFor(TimeSpan.FromSeconds(1.2));
        Assert.Equal([(LinkFailure.Silence, 0)], pair.Second.Failures);
    }

    [Fact]
    public void AnEndThatBeginsAgainFailsTheLinkAtTheOther()
    {
        LinkPair pair = LinkPair.Up();
        pair.First.Link.Stop(pair.Now);
        pair.First.Link.Start(pair.Now);
        pair.RunFor(Ms(200));
        Assert.Equal([(LinkFailure.EpochChanged, 0)], pair.Second.Failures);
        pair.RunFor(TimeSpan.FromSeconds(3));
        Assert.Equal(LinkState.Up, pair.Second.Link.State);
        Assert.Equal(LinkState.Up, pair.First.Link.State);
    }

    [Fact]
    public void ANewerGatewayOfTheSiteIsFollowedAndTheOlderIsNotHeardAnyMore()
    {
        LinkPair pair = LinkPair.Up();
        LinkPair.End newer = pair.StartOther(node: 6);
        pair.RunFor(TimeSpan.FromSeconds(3));
        Assert.Equal([(LinkFailure.EpochChanged, 0)], pair.Second.Failures);
        Assert.Equal((LinkState.Up, LinkState.Up), (newer.Link.State, pair.Second.Link.State));
        Assert.NotEqual(LinkState.Up, pair.First.Link.State);
        pair.RunFor(TimeSpan.FromSeconds(10));
        Assert.Single(pair.Second.Failures);
        Assert.Empty(newer.Failures);
        Assert.True(pair.Second.Link.Counters.Rejects[RejectReason.RemovedSender] > 10);
        newer.Offer(7);
        pair.RunFor(Ms(100));
        Assert.Equal([7], pair.Second.Records);
    }

    [Fact]
    public void AnOlderGatewayOfTheSiteDoesNotTakeALinkAway()
    {
        LinkPair pair = LinkPair.Up();
        LinkPair.End older = pair.StartOther(node: 4);
        pair.RunFor(TimeSpan.FromSeconds(10));
        Assert.Empty(pair.Second.Failures);
        Assert.NotEqual(LinkState.Up, older.Link.State);
        Assert.Equal((LinkState.Up, LinkState.Up), (pair.First.Link.State, pair.Second.Link.State));
    }

    [Fact]
    public void PacketsGoOnWhateverIsMissingBeforeThem()
    {
        LinkPair pair = LinkPair.Up();
        int lost = 0;
        pair.Loses = (_, _, bytes) => LinkPair.NumberOf(bytes) == 1 && lost++ == 0;
        for (byte record = 1; record <= 5; record++) pair.First.Offer(record);
        pair.RunFor(Ms(200));
        Assert.Equal([2, 3, 4, 5, 1], pair.Second.Records);
        Assert.Equal(0, pair.First.Link.Open);
    }

    [Fact]
    public void AHoleIsAskedForAtOnceWhenThreeAreAboveIt()
    {
        LinkPair pair = LinkPair.Up();
        int lost = 0;
        pair.Loses = (_, _, bytes) => LinkPair.NumberOf(bytes) == 1 && lost++ == 0;
        for (byte record = 1; record <= 4; record++) pair.First.Offer(record);
        Instant sent = pair.Now;
        pair.Second.Sent.Clear();
        pair.RunFor(Ms(15));
        (Instant at, _) = Assert.Single(pair.Second.Sent, static one => LinkPair.NacksOf(one.Bytes).Contains(1UL));
        Assert.InRange(at - sent, LinkPair.Delay, LinkPair.Delay + Ms(2));
    }

    [Fact]
    public void AHoleWithOnePacketAboveItIsAskedForAfterAShortWaitAndEachRoundTrip()
    {
        LinkPair pair = LinkPair.Up();
        Instant? from = null;
        pair.Loses = (_, _, bytes) => LinkPair.NumberOf(bytes) == 1 && (from is null || pair.Now - from < Ms(100));
        pair.First.Offer(1);
        pair.First.Offer(2);
        from = pair.Now;
        pair.Second.Sent.Clear();
        pair.RunFor(Ms(300));
        Instant[] asked = [.. pair.Second.Sent.Where(static one => LinkPair.NacksOf(one.Bytes).Contains(1UL))
            .Select(static one => one.At)];
        // The delay, then an eighth of the round trip; each repetition comes after a round trip and its deviation.
        Assert.InRange(asked[0] - from.Value, Ms(12), Ms(14));
        for (int index = 1; index < asked.Length; index++)
            Assert.InRange(asked[index] - asked[index - 1], Ms(20), Ms(60));
        Assert.InRange(asked.Length, 2, 6);
        Assert.Equal([2, 1], pair.Second.Records);
    }

    [Fact]
    public void TheLastPacketOfAStreamIsRepairedThoughNothingFollowsIt()
    {
        LinkPair pair = LinkPair.Up();
        int lost = 0;
        pair.Loses = (_, kind, _) => kind == LinkKind.Data && lost++ == 0;
        pair.First.Offer(1);
        pair.RunFor(Ms(150));
        Assert.Equal([1], pair.Second.Records);
        Assert.Equal(1UL, pair.First.Link.Counters.Lingers);
        Assert.Equal(0, pair.First.Link.Open);
    }

    [Fact]
    public void TheTailTimerDoublesWhileNothingComesBack()
    {
        var settings = new LinkSettings { HellosMissed = 1000 };
        LinkPair pair = LinkPair.Up(settings);
        pair.Loses = static (_, kind, _) => kind != LinkKind.Hello;
        pair.First.Offer(1);
        pair.First.Sent.Clear();
        pair.RunFor(TimeSpan.FromSeconds(5));
        Instant[] said = [.. pair.First.Sent.Where(static one => one.Bytes[3] == (byte)LinkKind.Linger)
            .Select(static one => one.At)];
        for (int index = 2; index < said.Length; index++)
            Assert.Equal(2 * (said[index - 1] - said[index - 2]).Ticks, (said[index] - said[index - 1]).Ticks);
        Assert.InRange(said.Length, 5, 8);
    }

    [Fact]
    public void ALinkFailsWhenAPacketNeverComesAndGivesBackWhatIsOpen()
    {
        LinkPair pair = LinkPair.Up();
        pair.Loses = static (_, _, bytes) => LinkPair.NumberOf(bytes) == 1;
        for (byte record = 1; record <= 5; record++) pair.First.Offer(record);
        pair.RunFor(Ms(1900));
        Assert.Equal(LinkState.Up, pair.Second.Link.State);
        pair.RunFor(Ms(300));
        Assert.Equal([(LinkFailure.PacketNeverCame, 0)], pair.Second.Failures);
        Assert.True(pair.Second.Link.Counters.Nacks >= 10);
        pair.RunFor(TimeSpan.FromSeconds(1));
        (LinkFailure why, int left) = Assert.Single(pair.First.Failures);
        Assert.Equal((LinkFailure.EpochChanged, 5), (why, left));
    }

    [Fact]
    public void CopiesAreDroppedAndCounted()
    {
        LinkPair pair = LinkPair.Up();
        pair.First.Sent.Clear();
        pair.First.Offer(1);
        byte[] packet = pair.First.Sent.Single(static one => LinkPair.NumberOf(one.Bytes) == 1).Bytes;
        pair.RunFor(Ms(50));
        pair.Second.Link.OnDatagram(packet, pair.Now);
        Assert.Equal([1], pair.Second.Records);
        Assert.Equal(1UL, pair.Second.Link.Counters.Duplicates);
    }

    [Fact]
    public void AcknowledgementsAreOneForTwoPacketsOrLate()
    {
        LinkPair pair = LinkPair.Up();
        ulong before = pair.Second.Link.Counters.Acks;
        for (byte record = 1; record <= 10; record++) pair.First.Offer(record);
        pair.RunFor(Ms(60));
        Assert.Equal(5UL, pair.Second.Link.Counters.Acks - before);
        pair.First.Offer(11);
        pair.RunFor(LinkPair.Delay + Ms(9));
        Assert.Equal(5UL, pair.Second.Link.Counters.Acks - before);
        pair.RunFor(Ms(2));
        Assert.Equal(6UL, pair.Second.Link.Counters.Acks - before);
    }

    [Fact]
    public void AStrangerChangesNothing()
    {
        LinkPair pair = LinkPair.Up();
        var buffer = new byte[200];
        foreach (LinkKind kind in Enum.GetValues<LinkKind>())
        {
            var writer = new WireWriter(buffer);
            new LinkHeader(kind, 123, 456).Write(ref writer);
            if (kind == LinkKind.Hello) new HelloBody(77, 0, 9, 64, 1, 0, default).Write(ref writer);
            else new LinkFeedback { Cumulative = 3, Highest = 9 }.Write(ref writer, []);
            if (kind is LinkKind.Data or LinkKind.Linger) writer.WriteVarint(7);
            if (kind == LinkKind.Data) writer.WriteByte(1);
            pair.Second.Link.OnDatagram(buffer.AsSpan(0, writer.Written), pair.Now);
        }
        Assert.Equal(5UL, pair.Second.Link.Counters.Rejects[RejectReason.UnknownView]);
        pair.First.Offer(1);
        pair.RunFor(TimeSpan.FromSeconds(2));
        Assert.Equal([1], pair.Second.Records);
        Assert.Equal(LinkState.Up, pair.First.Link.State);
        Assert.Equal(LinkState.Up, pair.Second.Link.State);
    }

    [Theory]
    [InlineData(78, 0, (int)RejectReason.WrongCluster)]
    [InlineData(77, 3, (int)RejectReason.UnknownSender)]
    public void AHelloOfAnotherConfigurationOrSiteIsRefused(ulong configuration, int site, int reason)
    {
        LinkPair pair = LinkPair.Up();
        var buffer = new byte[200];
        var writer = new WireWriter(buffer);
        new LinkHeader(LinkKind.Hello, 123, 0).Write(ref writer);
        new HelloBody(configuration, site, 9, 64, 1, 0, default).Write(ref writer);
        int sent = pair.Second.Sent.Count;
        pair.Second.Link.OnDatagram(buffer.AsSpan(0, writer.Written), pair.Now);
        Assert.Equal(1UL, pair.Second.Link.Counters.Rejects[(RejectReason)reason]);
        Assert.Equal(sent, pair.Second.Sent.Count);
    }

    [Fact]
    public void WhatOvertakenFeedbackAsksForIsSentAgain()
    {
        LinkPair pair = LinkPair.Up();
        int lost = 0;
        var late = new List<byte[]>();
        pair.Loses = (from, _, bytes) =>
        {
            if (from == pair.First) return LinkPair.NumberOf(bytes) == 1 && lost++ == 0;
            if (!LinkPair.NacksOf(bytes).Contains(1UL) || late.Count > 0) return false;
            late.Add(bytes);
            return true;
        };
        for (byte record = 1; record <= 4; record++) pair.First.Offer(record);
        pair.RunFor(TimeSpan.FromMilliseconds(15));
        pair.First.Offer(5);
        pair.First.Offer(6);
        pair.RunFor(TimeSpan.FromMilliseconds(21));
        ulong before = pair.First.Link.Counters.Resent;
        pair.First.Link.OnDatagram(late.Single(), pair.Now);
        Assert.Equal(before + 1, pair.First.Link.Counters.Resent);
    }

    [Fact]
    public void TheCapIsKept()
    {
        LinkPair pair = LinkPair.Up(new LinkSettings { MaxRate = 10_000 });
        for (int record = 0; record < 400; record++) pair.First.Offer(1);
        ulong before = pair.First.Link.Counters.SentBytes;
        pair.RunFor(TimeSpan.FromSeconds(2));
        Assert.InRange(pair.First.Link.Counters.SentBytes - before, 12_000UL, 20_200UL);
    }

    [Fact]
    public void OpenPacketsAreBounded()
    {
        LinkPair pair = LinkPair.Up(new LinkSettings { OpenPackets = 64 });
        pair.Loses = static (_, _, bytes) => LinkPair.NumberOf(bytes) == 1;
        for (int record = 0; record < 500; record++) pair.First.Offer(1);
        pair.RunFor(Ms(500));
        Assert.Equal(64, pair.First.Link.Open);
        Assert.Equal(436, pair.First.Link.Waiting);
    }
}
