using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class TokenTests
{
    private const int Members = 40;
    private const int Partitions = 4;

    [Fact]
    public void RandomTokensRoundTrip()
    {
        var read = new Token();
        for (ulong seed = 1; seed <= 200; seed++)
        {
            Token token = Make(new SeededRandom(seed), streams: (int)(seed % 20));
            byte[] bytes = Write(token, 60_000, 0, out bool complete);

            Assert.True(complete);
            Assert.True(read.TryRead(bytes, Members, Partitions), $"seed {seed}");
            Assert.True(Write(read, 60_000, 0, out _).AsSpan().SequenceEqual(bytes), $"seed {seed}");
            Assert.Equal((token.Phase, token.Partition), (read.Phase, read.Partition));
            Assert.Equal((token.PartitionLead, token.Complete), (read.PartitionLead, read.Complete));
        }
    }

    [Fact]
    public void WhatDoesNotFitLosesItsDetailThenItsPlaceAndEachStreamGetsItsTurn()
    {
        var read = new Token();
        var detailed = new HashSet<ulong>();
        for (ulong rotation = 0; rotation < 12; rotation++)
        {
            Token token = Make(new SeededRandom(7), streams: 12);
            for (int index = 0; index < 12; index++) token[index].HasDetail |= !token[index].IsClosed;
            byte[] bytes = Write(token, 300, rotation, out bool complete);

            Assert.False(complete);
            Assert.True(read.TryRead(bytes, Members, Partitions));
            Assert.InRange(read.StreamCount, 1, 11);
            Assert.True(read[0].HasDetail || read[0].IsClosed);
            Assert.Equal(token[(int)rotation].Sender, read[0].Sender);
            detailed.Add(read[0].Sender);
        }
        Assert.Equal(12, detailed.Count);
    }

    [Fact]
    public void TheShortestRecordsAreRead()
    {
        var token = new Token();
        token.Clear();
        for (ulong sender = 1; sender <= 3; sender++) token.Add(sender, Partitions);
        byte[] bytes = Write(token, 1000, 0, out _);

        Assert.Equal(9 + (3 * TokenStream.MinLength), bytes.Length);
        Assert.True(new Token().TryRead(bytes, Members, Partitions));
        Assert.False(new Token().TryRead(bytes.AsSpan(..^1), Members, Partitions));
    }

    [Theory]
    [InlineData("03 00 00 01 00 0000 0000", "a phase that is none")]
    [InlineData("00 04 00 01 00 0000 0000", "a partition that is none")]
    [InlineData("00 00 28 01 00 0000 0000", "a member that is none")]
    [InlineData("00 00 00 02 00 0000 0000", "neither complete nor not")]
    [InlineData("00 00 00 01 00 0000 FFFF", "more streams than bytes")]
    [InlineData("00 00 00 01 00 0000 0000 00", "a byte after the end")]
    [InlineData("00 00 00 01 00 0000 0100 0100000000000000 00 01 00 00 00 00 00", "a cutoff below nothing")]
    [InlineData("00 00 00 01 00 0000 0100 0100000000000000 00 00 00 00 00 00 04", "closed, but not a removed sender's")]
    [InlineData("00 00 00 01 01 28 0000 0000", "a removed member that is none")]
    [InlineData("00 00 00 01 00 01 28 01 05 00 00 0000", "told of a member that is none")]
    [InlineData("00 00 00 01 00 00 01 05 00 05 00 0000", "a member behind for no cause")]
    [InlineData("00 00 00 01 02 05 05 0000 0000", "a member removed twice")]
    [InlineData("00 00 00 01 00 0000 0100 0100000000000000 00 00 00 00 00 00 07",
        "closed, and yet with what is missing")]
    [InlineData("00 00 00 01 00 0000 0100 0100000000000000 00 00 00 00 00 00 03 00 01 00 00 05", "an empty run")]
    [InlineData("00 00 00 01 00 0000 0100 0100000000000000 00 00 00 00 00 00 03 00 01 00 01 A801",
        "a holder that is none")]
    public void ATokenThatBreaksItsFormatIsRefused(string hex, string why) =>
        Assert.False(
            new Token().TryRead(
                Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal)), Members, Partitions), why);

    [Fact]
    public void ReadingAndWritingAllocateNothingOnceTheListsHaveGrown()
    {
        Token token = Make(new SeededRandom(7), streams: 12);
        byte[] bytes = Write(token, 60_000, 0, out _);
        var scratch = new byte[bytes.Length];
        var read = new Token();
        void RoundTrip()
        {
            if (!read.TryRead(bytes, Members, Partitions)) Assert.Fail("refused");
            var writer = new WireWriter(scratch);
            read.WriteTo(ref writer, 0);
        }
        RoundTrip();

        Assert.Equal(0, AllocatedBytes.Of(RoundTrip));
        Assert.True(bytes.AsSpan().SequenceEqual(scratch));
    }

    [Fact]
    public void HopsAreTheSameWhenOnlyTheirPartDiffers()
    {
        TokenHop hop = WireSamples.Hop with { Parts = 3 };

        Assert.True(hop.IsSameHop(hop with { Part = 2 }));
        Assert.False(hop.IsSameHop(hop with { Hop = 12 }));
        Assert.False(hop.IsSameHop(hop with { Round = 1 }));
        Assert.False(hop.IsSameHop(hop with { Epoch = 3 }));
        Assert.False(hop.IsSameHop(hop with { Leader = 5 }));
        Assert.False(hop.IsSameHop(hop with { From = 5 }));
        Assert.False(hop.IsSameHop(hop with { To = 5 }));
        Assert.False(hop.IsSameHop(hop with { Parts = 4 }));
    }

    [Fact]
    public void ATokenOfManyRecordsThatBreaksItsFormatAtItsEndLeavesNothingBehind()
    {
        var token = new Token();
        token.Clear();
        for (ulong sender = 1; sender <= 3_800; sender++) token.Add(sender, Partitions);
        byte[] bytes = [.. Write(token, 60_000, 0, out _), 1];
        long empty = AllocatedBytes.Of(() => _ = new Token());
        bool isRead = true;
        Assert.InRange(
            AllocatedBytes.Of(() => isRead = new Token().TryRead(bytes, Members, Partitions)) - empty, 0, 1000);
        Assert.False(isRead);
    }

    [Theory]
    [InlineData(11, 10, 5, 0)]
    [InlineData(0, 10, 11, 0)]
    [InlineData(0, 10, 5, 12)]
    public void ARecordThatNamesMoreThanAnybodyHasSeenIsRefused(
        ulong cleanup, ulong highest, ulong contiguous, ulong missingEnd)
    {
        var token = new Token();
        token.Clear();
        TokenStream stream = token.Add(7, Partitions);
        (stream.Cleanup, stream.Highest, stream.Contiguous) = (cleanup, highest, contiguous);
        if (missingEnd > 0)
        {
            stream.Orphan();
            stream.Missing.Want(1, missingEnd);
        }
        Assert.False(new Token().TryRead(Write(token, 1000, 0, out _), Members, Partitions));
    }

    private static Token Make(SeededRandom random, int streams)
    {
        var token = new Token();
        token.Clear();
        token.Phase = (TokenPhase)random.NextBelow(3);
        token.Partition = (int)random.NextBelow(Partitions);
        token.PartitionLead = (int)random.NextBelow(Members);
        token.Complete = random.NextBelow(2) == 0;
        for (ulong removed = random.NextBelow(4); removed > 0; removed--)
            token.AddRemoved((int)random.NextBelow(Members));
        for (int index = 0; index < streams; index++)
        {
            TokenStream stream = token.Add(random.NextUInt64(), Partitions);
            stream.Cleanup = random.NextBelow(1UL << (int)random.NextBelow(50));
            ulong Near() => (ulong)Math.Max(0, (long)stream.Cleanup + (long)random.NextBelow(2000) - 1000);
            stream.Cutoff = Near();
            stream.Highest = Math.Max(Near(), stream.Cleanup);
            stream.Contiguous = Math.Min(Near(), stream.Highest);
            stream.ReadPosition = random.NextBelow(2) == 0 ? null : Near();
            stream.Drops = random.NextBelow(300);
            if (random.NextBelow(3) == 0)
            {
                FillOrphan(random, stream);
                continue;
            }
            stream.HasDetail = random.NextBelow(2) == 0;
            if (!stream.HasDetail) continue;
            for (int partition = 0; partition < Partitions; partition++) stream.Held[partition] = Near();
            stream.Place = random.NextUInt64();
            Fill(random, stream.Previous);
            Fill(random, stream.Common);
        }
        return token;
    }

    private static void FillOrphan(SeededRandom random, TokenStream stream)
    {
        stream.Orphan();
        if (random.NextBelow(4) == 0) stream.Close(stream.Highest);
        else OrphanRangeListTests.Fill(random, stream.Missing, Members);
        if (stream.Missing.Count > 0)
            stream.Highest = Math.Max(stream.Highest, stream.Missing[stream.Missing.Count - 1].End);
    }

    private static void Fill(SeededRandom random, TokenRangeList list)
    {
        ulong next = 1;
        list.Covered = random.NextBelow(100_000);
        for (ulong left = random.NextBelow(TokenRangeList.MaxRanges); left > 0; left--)
        {
            ulong start = next + random.NextBelow(1000);
            next = start + 1 + random.NextBelow(100);
            list.Add(new TokenRange(start, next, random.NextBelow(2) == 0));
        }
    }

    private static byte[] Write(Token token, int capacity, ulong rotation, out bool complete)
    {
        var bytes = new byte[capacity];
        var writer = new WireWriter(bytes);
        complete = token.WriteTo(ref writer, rotation);
        return bytes[..writer.Written];
    }
}
