using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>A packet that is lost alone in its set is rebuilt from parity; all else is as without.</summary>
public sealed class LinkParityTests
{
    private const int Every = 4;

    private static readonly LinkSettings WithParity = new() { ParityEvery = Every };

    private static TimeSpan Ms(double milliseconds) => TimeSpan.FromMilliseconds(milliseconds);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(6)]
    [InlineData(8)]
    public void OneLossInASetIsRepairedWithoutARequest(int lost)
    {
        LinkPair pair = LinkPair.Up(WithParity);
        pair.Loses = (_, _, bytes) => LinkPair.NumberOf(bytes) == (ulong)lost;
        Offer(pair, 8);
        pair.RunFor(LinkPair.Delay + Ms(3));
        Assert.Equal(Enumerable.Range(1, 8), pair.Second.Records.Order().Select(static record => (int)record));
        pair.RunFor(Ms(200));
        NothingWasAskedFor(pair);
        Assert.Equal((1UL, 7UL), (pair.Second.Link.Counters.Rebuilt, pair.Second.Link.Counters.Received));
        Assert.Equal(2UL, pair.First.Link.Counters.Parities);
        Assert.Equal((0, 0), (pair.First.Link.Open, pair.Second.Link.Holes));
    }

    [Fact]
    public void RecordsOfDifferentLengthsAreRebuiltAsTheyWere()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        pair.Loses = static (_, _, bytes) => LinkPair.NumberOf(bytes) is 2 or 8;
        for (int record = 1; record <= 8; record++)
        {
            byte[] payload = [.. Enumerable.Range(0, record * 37 % 150).Select(index => (byte)(index * record))];
            pair.First.Link.Offer(new LinkItem(new[] { (byte)record, (byte)99 }, payload), pair.Now);
        }
        pair.RunFor(Ms(15));
        foreach (byte[] record in pair.Second.Whole)
        {
            Assert.Equal(2 + (record[0] * 37 % 150), record.Length);
            Assert.Equal(99, record[1]);
            for (int index = 2; index < record.Length; index++)
                Assert.Equal((byte)((index - 2) * record[0]), record[index]);
        }
        Assert.Equal(8, pair.Second.Whole.Count);
        Assert.Equal(2UL, pair.Second.Link.Counters.Rebuilt);
    }

    [Fact]
    public void AnEndRebuildsThoughItSendsNoParityItself()
    {
        var pair = new LinkPair(WithParity, new LinkSettings());
        pair.Start();
        pair.Loses = static (_, _, bytes) => LinkPair.NumberOf(bytes) == 6;
        Offer(pair, 4);
        pair.RunFor(Ms(50));
        // Records are kept from the first parity on.
        Offer(pair, 4);
        pair.RunFor(Ms(50));
        Assert.Equal(8, pair.Second.Records.Count);
        Assert.Equal(1UL, pair.Second.Link.Counters.Rebuilt);
        NothingWasAskedFor(pair);
        Assert.Equal(0UL, pair.Second.Link.Counters.Parities);
    }

    [Fact]
    public void TwoLossesInASetAreAskedForAndTheParityRebuildsTheOtherWhenOneHasCome()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        var lost = new HashSet<ulong>();
        pair.Loses = (_, _, bytes) => LinkPair.NumberOf(bytes) is 2 or 3 && lost.Add(LinkPair.NumberOf(bytes));
        pair.Late = static (_, bytes) => LinkPair.NumberOf(bytes) == 3 ? Ms(5) : TimeSpan.Zero;
        Offer(pair, 8);
        pair.RunFor(LinkPair.Delay + Ms(4));
        Assert.Equal([2UL, 3UL], AskedFor(pair).Order());
        pair.RunFor(LinkPair.Delay + LinkPair.Delay);
        Assert.Equal(8, pair.Second.Records.Count);
        Assert.Equal(1UL, pair.Second.Link.Counters.Rebuilt);
        pair.RunFor(Ms(200));
        Assert.Equal(8, pair.Second.Records.Count);
        Assert.Equal(1UL, pair.Second.Link.Counters.Duplicates);
        Assert.Equal(2UL, pair.First.Link.Counters.Resent);
    }

    [Fact]
    public void TheLastPacketsOfASetAreAskedForThoughNothingFollowsThem()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        var lost = new HashSet<ulong>();
        pair.Loses = (_, _, bytes) => LinkPair.NumberOf(bytes) is 3 or 4 && lost.Add(LinkPair.NumberOf(bytes));
        Offer(pair, 4);
        pair.RunFor(LinkPair.Delay * 3 + Ms(4));
        Assert.Equal(4, pair.Second.Records.Count);
        Assert.Equal(0UL, pair.First.Link.Counters.Lingers);
    }

    [Fact]
    public void WhereTheParityIsLostAHoleIsAskedForSoonAfter()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        int data = 0, parity = 0;
        pair.Loses = (_, kind, bytes) =>
            (LinkPair.NumberOf(bytes) == 2 && data++ == 0) || (kind == LinkKind.Parity && parity++ == 0);
        Offer(pair, 4);
        pair.RunFor(LinkPair.Delay + Ms(4));
        Assert.Empty(AskedFor(pair));
        // Twice the time in which a set ends: an eighth of the round trip, or two milliseconds.
        pair.RunFor(Ms(2));
        Assert.Equal([2UL], AskedFor(pair));
        pair.RunFor(Ms(30));
        Assert.Equal(4, pair.Second.Records.Count);
        Assert.Equal(0UL, pair.Second.Link.Counters.Rebuilt);
    }

    [Fact]
    public void TheNextParityShowsThatOneIsLost()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        int data = 0, parity = 0;
        pair.Loses = (_, kind, bytes) =>
            (LinkPair.NumberOf(bytes) == 2 && data++ == 0) || (kind == LinkKind.Parity && parity++ == 0);
        Offer(pair, 8);
        pair.RunFor(LinkPair.Delay + Ms(1));
        Assert.Equal([2UL], AskedFor(pair));
    }

    [Fact]
    public void AParityThatComesBeforeItsPacketsChangesNothingButTheOrder()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        pair.Late = static (_, bytes) => LinkPair.NumberOf(bytes) is > 0 and <= 4 ? Ms(1) : TimeSpan.Zero;
        Offer(pair, 4);
        pair.RunFor(Ms(200));
        // The last one is there as soon as the third has come; the packet itself is then a copy.
        Assert.Equal([1, 2, 3, 4], pair.Second.Records);
        Assert.Equal(1UL, pair.Second.Link.Counters.Rebuilt);
        Assert.Equal(1UL, pair.Second.Link.Counters.Duplicates);
        pair.RunFor(Ms(200));
        Assert.Equal(0, pair.First.Link.Regulator.Loss);
    }

    [Fact]
    public void APacketThatComesAfterItWasRebuiltIsACopyAndTeachesNoLateness()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        pair.Late = static (_, bytes) => LinkPair.NumberOf(bytes) == 2 ? Ms(9) : TimeSpan.Zero;
        Offer(pair, 4);
        pair.RunFor(Ms(200));
        Assert.Equal([1, 3, 4, 2], pair.Second.Records);
        Assert.Equal(1UL, pair.Second.Link.Counters.Duplicates);
        NothingWasAskedFor(pair);
        Assert.Equal(0, pair.First.Link.Regulator.Loss);
    }

    [Fact]
    public void ACopyOfAParityChangesNothing()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        pair.Loses = static (_, _, bytes) => LinkPair.NumberOf(bytes) == 2;
        Offer(pair, 4);
        pair.RunFor(Ms(100));
        byte[] parity = pair.First.Sent.Single(static one => one.Bytes[3] == (byte)LinkKind.Parity).Bytes;
        (ulong bytes, ulong highest) = Told(pair);
        pair.Second.Link.OnDatagram(parity, pair.Now);
        pair.Second.Link.OnDatagram(parity, pair.Now);
        Assert.Equal((bytes, highest), Told(pair));
        Assert.Equal(4, pair.Second.Records.Count);
        Assert.Equal(1UL, pair.Second.Link.Counters.Rebuilt);
    }

    [Fact]
    public void AFewPacketsHaveTheirParityAfterAShortTime()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        pair.Loses = static (_, _, bytes) => LinkPair.NumberOf(bytes) == 2;
        Offer(pair, 1);
        pair.RunFor(Ms(1));
        pair.First.Offer(2);
        Instant sent = pair.Now;
        pair.RunFor(LinkPair.Delay + Ms(3));
        Assert.Equal([1, 2], pair.Second.Records);
        (Instant at, byte[] bytes) =
            pair.First.Sent.Single(static one => one.Bytes[3] == (byte)LinkKind.Parity);
        // An eighth of the round trip after the first of them.
        Assert.InRange(at - sent, Ms(1), Ms(2));
        Assert.True(ParityBody.TryRead(bytes.AsSpan(LinkHeader.Length), out ParityBody parity));
        Assert.Equal((1UL, 2), (parity.First, parity.Count));
        pair.RunFor(Ms(200));
        NothingWasAskedFor(pair);
    }

    [Fact]
    public void ALossThatIsRebuiltCountsAsLost()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        pair.Loses = static (_, _, bytes) => LinkPair.NumberOf(bytes) % 20 == 7;
        for (int record = 0; record < 3000; record++)
        {
            pair.First.Offer((byte)record);
            pair.RunFor(Ms(0.5));
        }
        pair.RunFor(Ms(300));
        Assert.Equal(3000, pair.Second.Records.Count);
        Assert.Equal(150UL, pair.Second.Link.Counters.Rebuilt);
        Assert.Equal(0UL, pair.First.Link.Counters.Resent);
        Assert.InRange(pair.First.Link.Regulator.Loss, 0.03, 0.07);
    }

    [Fact]
    public void ParityIsPacedAndWithinTheCap()
    {
        LinkPair pair = LinkPair.Up(WithParity with { MaxRate = 10_000 });
        for (int record = 0; record < 400; record++) pair.First.Offer(1);
        ulong before = pair.First.Link.Counters.SentBytes;
        pair.First.Sent.Clear();
        pair.RunFor(TimeSpan.FromSeconds(2));
        long wire = pair.First.Sent
            .Where(static one => one.Bytes[3] is (byte)LinkKind.Data or (byte)LinkKind.Parity)
            .Sum(static one => one.Bytes.Length);
        Assert.Equal((long)(pair.First.Link.Counters.SentBytes - before), wire);
        Assert.InRange(wire, 12_000, 20_200);
        Assert.True(pair.First.Link.Counters.Parities > 20);
    }

    [Theory]
    [InlineData(0, 4200)]
    [InlineData(2, 2800)]
    public void ParityDoesNotWearThePaceDown(int every, int least)
    {
        LinkPair pair = LinkPair.Up(new LinkSettings { ParityEvery = every });
        // The way carries 500,000 bytes a second.
        Instant free = pair.Now;
        pair.Late = (from, bytes) =>
        {
            if (from != pair.First) return TimeSpan.Zero;
            free = (free > pair.Now ? free : pair.Now) + TimeSpan.FromSeconds(bytes.Length / 500_000.0);
            return free - pair.Now;
        };
        for (int record = 0; record < 8000; record++)
            pair.First.Link.Offer(new LinkItem(new[] { (byte)record }, new byte[500]), pair.Now);
        pair.RunFor(TimeSpan.FromSeconds(5));
        Assert.InRange(pair.First.Link.Regulator.Rate, 400_000, 520_000);
        Assert.True(pair.Second.Records.Count > least, $"{pair.Second.Records.Count} records came");
    }

    [Theory]
    [InlineData(0, 4, 50, (int)RejectReason.Malformed)]
    [InlineData(1, 0, 50, (int)RejectReason.Malformed)]
    [InlineData(1, 65, 50, (int)RejectReason.Malformed)]
    [InlineData(1, 4, 0, (int)RejectReason.Malformed)]
    [InlineData(8190, 4, 50, (int)RejectReason.BeyondWindow)]
    [InlineData(long.MaxValue, 64, 50, (int)RejectReason.BeyondWindow)]
    public void AParityThatCannotBeIsCountedAndDropped(long first, int count, int length, int reason)
    {
        LinkPair pair = LinkPair.Up();
        var parity = new ParityBody { First = (ulong)first, Count = count, Parity = new byte[length] };
        (ulong, ulong) before = Told(pair);
        Inject(pair, parity);
        Assert.Equal(1UL, pair.Second.Link.Counters.Rejects[(RejectReason)reason]);
        Assert.Equal(before, Told(pair));
        Assert.Equal(0, pair.Second.Link.Holes);
    }

    [Fact]
    public void AParityThatDoesNotFitWhatCameRebuildsNothing()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        int lost = 0;
        pair.Loses = (_, kind, bytes) =>
            kind == LinkKind.Parity || (LinkPair.NumberOf(bytes) == 2 && lost++ == 0);
        Offer(pair, 4);
        pair.RunFor(LinkPair.Delay);
        byte[] junk = [.. Enumerable.Repeat((byte)7, 51)];
        // Shorter than the records, then of the right length and with other bytes.
        Inject(pair, new ParityBody { First = 1, Count = 4, Lengths = 1, Parity = new byte[10] });
        Inject(pair, new ParityBody { First = 1, Count = 4, Lengths = 51 ^ 10, Parity = junk });
        Assert.Equal(2UL, pair.Second.Link.Counters.Rejects[RejectReason.Malformed]);
        Assert.Equal(0UL, pair.Second.Link.Counters.Rebuilt);
        pair.RunFor(Ms(100));
        Assert.Equal([1, 3, 4, 2], pair.Second.Records);
    }

    [Fact]
    public void AnEndThatTellsOfMoreThanWasSentIsNotBelieved()
    {
        LinkPair pair = LinkPair.Up(WithParity);
        byte[] hello = pair.Second.Sent.Last(static one => one.Bytes[3] == (byte)LinkKind.Hello).Bytes;
        Assert.True(HelloBody.TryRead(hello.AsSpan(LinkHeader.Length), out HelloBody body));
        var bytes = new byte[200];
        var writer = new WireWriter(bytes);
        writer.WriteBytes(hello.AsSpan(0, LinkHeader.Length));
        (body with { Number = body.Number + 1, Rebuilt = 1000 }).Write(ref writer);
        pair.First.Link.OnDatagram(bytes.AsSpan(0, writer.Written), pair.Now);
        Assert.Equal(1UL, pair.First.Link.Counters.Rejects[RejectReason.NeverSent]);
        Assert.Equal(0, pair.First.Link.Regulator.Loss);
    }

    private static void Offer(LinkPair pair, int records)
    {
        int before = (int)pair.First.Link.Counters.Sent;
        for (int record = 1; record <= records; record++) pair.First.Offer((byte)(before + record));
    }

    private static void Inject(LinkPair pair, in ParityBody parity)
    {
        byte[] sample = pair.First.Sent.Last(static one => one.Bytes[3] == (byte)LinkKind.Hello).Bytes;
        var bytes = new byte[200];
        var writer = new WireWriter(bytes);
        Assert.Equal(RejectReason.None, LinkHeader.TryRead(sample, out LinkHeader header));
        (header with { Kind = LinkKind.Parity }).Write(ref writer);
        parity.Write(ref writer);
        pair.Second.Link.OnDatagram(bytes.AsSpan(0, writer.Written), pair.Now);
    }

    // What the other end says it has: by a packet of its own.
    private static (ulong Bytes, ulong Highest) Told(LinkPair pair)
    {
        pair.Second.Sent.Clear();
        pair.Second.Offer(1);
        byte[] data = pair.Second.Sent.Single(static one => LinkPair.NumberOf(one.Bytes) > 0).Bytes;
        Assert.True(LinkDataBody.TryRead(data.AsSpan(LinkHeader.Length), out LinkDataBody body));
        return (body.Feedback.Bytes, body.Feedback.Highest);
    }

    private static void NothingWasAskedFor(LinkPair pair)
    {
        Assert.Empty(AskedFor(pair));
        Assert.Equal(0UL, pair.First.Link.Counters.Resent);
    }

    private static ulong[] AskedFor(LinkPair pair) =>
        [.. pair.Second.Sent.SelectMany(static one => LinkPair.NacksOf(one.Bytes))];
}
