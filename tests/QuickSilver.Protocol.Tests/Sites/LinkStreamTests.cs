using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Sites.Overlay;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>A link over a connection that keeps order and pace: the link asks for nothing and slows nothing.</summary>
public sealed class LinkStreamTests
{
    private static readonly LinkSettings Stream = new LinkSettings().OverStream();

    [Fact]
    public void A_queue_in_the_connection_slows_nothing_and_nothing_is_asked_for()
    {
        LinkPair pair = LinkPair.Up(Stream);
        // The connection carries 50,000 bytes a second each way.
        var free = new Dictionary<LinkPair.End, Instant>();
        pair.Late = (from, bytes) =>
        {
            Instant begin = free.GetValueOrDefault(from) > pair.Now ? free[from] : pair.Now;
            free[from] = begin + TimeSpan.FromSeconds(bytes.Length / 50_000.0);
            return free[from] - pair.Now;
        };
        Instant before = pair.Now;
        for (int record = 0; record < 1000; record++) pair.First.Offer((byte)record);
        // All has left: what it takes to pace it is the connection's business.
        Assert.Equal(0, pair.First.Link.Waiting);
        Assert.Equal(before, pair.Now);
        pair.RunFor(TimeSpan.FromSeconds(10));
        Assert.Equal(1000, pair.Second.Records.Count);
        Assert.Equal(0, pair.First.Link.Open);
        LinkCounters counters = pair.First.Link.Counters;
        Assert.Equal((0UL, 0UL), (counters.Resent, counters.Lingers));
        Assert.Equal(0UL, pair.Second.Link.Counters.Nacks + pair.Second.Link.Counters.Duplicates);
        Assert.Empty(pair.First.Failures);
        Assert.Empty(pair.Second.Failures);
        Assert.InRange(pair.First.Link.Regulator.Rate, 10_000, 60_000);
    }

    [Fact]
    public void Datagrams_are_paced_where_a_stream_is_not()
    {
        LinkPair pair = LinkPair.Up();
        for (int record = 0; record < 1000; record++) pair.First.Offer((byte)record);
        Assert.True(pair.First.Link.Waiting > 0);
    }

    [Theory]
    [InlineData(2800, false)]
    [InlineData(3300, true)]
    public void A_loss_that_the_connection_repairs_is_waited_for_but_not_for_ever(int milliseconds, bool fails)
    {
        LinkPair pair = LinkPair.Up(Stream);
        Instant repaired = pair.Now + TimeSpan.FromMilliseconds(milliseconds);
        // All that is sent meanwhile comes together, in order.
        pair.Late = (_, _) => pair.Now < repaired ? repaired - pair.Now : TimeSpan.Zero;
        pair.First.Offer(1);
        pair.RunFor(TimeSpan.FromMilliseconds(milliseconds + 50));
        Assert.Equal(fails ? [(LinkFailure.Silence, 1)] : [], pair.First.Failures);
        if (fails) return;
        pair.RunFor(TimeSpan.FromSeconds(1));
        Assert.Equal([1], pair.Second.Records);
        Assert.Equal(0, pair.First.Link.Open);
    }

    [Fact]
    public void What_finds_no_room_waits_without_an_alarm_and_leaves_when_there_is_room()
    {
        LinkPair pair = LinkPair.Up(Stream);
        pair.Second.Offer(7);
        pair.HasRoom = end => end != pair.First;
        pair.First.Offer(1);
        pair.First.Sent.Clear();
        pair.RunFor(TimeSpan.FromSeconds(1));
        Assert.Equal([7], pair.First.Records);
        // Hellos go, neither records nor the acknowledgement do.
        Assert.All(pair.First.Sent, static one => Assert.Equal((byte)LinkKind.Hello, one.Bytes[3]));
        Assert.InRange(pair.First.Sent.Count, 9, 11);
        Assert.Equal(1, pair.First.Link.Waiting);
        Assert.Equal(1, pair.Second.Link.Open);
        pair.HasRoom = static _ => true;
        pair.First.Link.OnRoom(pair.Now);
        pair.RunFor(TimeSpan.FromMilliseconds(100));
        Assert.Equal([1], pair.Second.Records);
        Assert.Equal((0, 0), (pair.First.Link.Open, pair.Second.Link.Open));
    }

    [Fact]
    public void The_end_of_the_connection_fails_the_link_at_once_and_it_connects_again()
    {
        LinkPair pair = LinkPair.Up(Stream);
        pair.Loses = static (_, kind, _) => kind == LinkKind.Data;
        pair.First.Offer(1);
        pair.First.Offer(2);
        pair.First.Link.OnDisconnected(pair.Now);
        pair.Second.Link.OnDisconnected(pair.Now);
        Assert.Equal([(LinkFailure.Disconnected, 2)], pair.First.Failures);
        Assert.Equal(LinkState.Failed, pair.First.Link.State);
        // It is told again, or of another connection.
        pair.First.Link.OnDisconnected(pair.Now);
        pair.Loses = static (_, _, _) => false;
        pair.RunFor(TimeSpan.FromSeconds(2));
        Assert.Equal((LinkState.Up, LinkState.Up), (pair.First.Link.State, pair.Second.Link.State));
        Assert.Single(pair.First.Failures);
        pair.First.Offer(3);
        pair.RunFor(TimeSpan.FromMilliseconds(100));
        Assert.Equal([3], pair.Second.Records);
    }

    [Fact]
    public void A_cap_holds_for_a_stream()
    {
        LinkPair pair = LinkPair.Up(Stream with { MaxRate = 10_000 });
        for (int record = 0; record < 1000; record++) pair.First.Offer((byte)record);
        ulong before = pair.First.Link.Counters.SentBytes;
        pair.RunFor(TimeSpan.FromSeconds(2));
        Assert.InRange(pair.First.Link.Counters.SentBytes - before, 19_000UL, 20_200UL);
    }

    [Fact]
    public void A_stream_is_part_of_the_configuration()
    {
        string[] names = ["a", "b", "c"];
        var links = new SiteLink[] { new("a", "b"), new("b", "c", 7) };
        var map = new SiteMap(names, links);
        var other = new SiteMap(names, [links[0], links[1] with { IsStream = true }]);
        Assert.NotEqual(map.Hash, other.Hash);
        Assert.Equal((false, true, true), (other.IsStream(0, 1), other.IsStream(1, 2), other.IsStream(2, 1)));
        Assert.Equal(other.Hash, new SiteMap(names, [new("c", "b", 7, true), links[0]]).Hash);
    }
}
