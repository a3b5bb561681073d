using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Limits;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class PendingLimitsTests
{
    private static readonly PendingQuota Quota = new()
    {
        StreamMessages = 1000,
        StreamBytes = 100_000,
        NodeMessages = 3000,
        NodeBytes = 300_000,
        GuaranteedMessages = 10,
        GuaranteedBytes = 1000,
    };

    // So small that a few hundred messages fill it.
    private static readonly PendingQuota RandomQuota = new()
    {
        StreamMessages = 100,
        StreamBytes = 50_000,
        NodeMessages = 150,
        NodeBytes = 100_000,
        GuaranteedMessages = 5,
        GuaranteedBytes = 2000,
    };

    private readonly PendingLimits _limits = new(Quota);
    private readonly List<bool> _told = [];

    [Fact]
    public void AGateShutsWhenMessagesOrBytesAreFull()
    {
        PendingAccount messages = _limits.Open();
        messages.Add(999, 10);
        Assert.True(messages.IsOpen);
        messages.Add(1, 10);
        Assert.False(messages.IsOpen);

        PendingAccount bytes = _limits.Open();
        bytes.Add(1, 100_000);
        Assert.False(bytes.IsOpen);
        Assert.Equal(2UL, _limits.Shuts);
    }

    [Fact]
    public void AShutGateOpensAtHalf()
    {
        PendingAccount account = _limits.Open(_told.Add);
        account.Add(1000, 1000);
        account.Remove(499, 499);
        Assert.False(account.IsOpen);
        account.Remove(1, 1);
        Assert.True(account.IsOpen);
        Assert.Equal([false, true], _told);
    }

    [Fact]
    public void BothMessagesAndBytesMustBeHalfFreeToOpen()
    {
        PendingAccount account = _limits.Open();
        account.Add(1000, 90_000);
        account.Remove(900, 10_000);
        Assert.False(account.IsOpen);
        account.Remove(1, 30_000);
        Assert.True(account.IsOpen);
    }

    [Fact]
    public void WhatIsAddedToAShutGateIsCounted()
    {
        PendingAccount account = _limits.Open(_told.Add);
        account.Add(1500, 1500);
        account.Add(5, 5);
        Assert.Equal(1505, account.Messages);
        Assert.Equal(1505, _limits.Messages);
        Assert.Equal([false], _told);
    }

    [Fact]
    public void NoStreamTakesMoreThanHalfOfWhatIsFree()
    {
        var limits = new PendingLimits(Quota with { StreamMessages = int.MaxValue, StreamBytes = long.MaxValue });

        long first = FillBytes(limits.Open());
        long second = FillBytes(limits.Open());
        long third = FillBytes(limits.Open());

        // Half of 299,000 above the minimum; then half of what that leaves; and so on.
        Assert.InRange(first, 149_000, 152_000);
        Assert.InRange(second, 74_000, 77_000);
        Assert.InRange(third, 36_000, 40_000);
    }

    [Fact]
    public void EveryStreamHasItsMinimumHoweverFullTheNode()
    {
        var limits = new PendingLimits(Quota with { StreamBytes = long.MaxValue });
        for (int stream = 0; stream < 50; stream++) FillBytes(limits.Open());
        PendingAccount late = limits.Open();

        late.Add(9, 999);
        Assert.True(late.IsOpen);
        late.Add(1, 1);
        Assert.False(late.IsOpen);
        Assert.InRange(limits.Bytes, 0, Quota.NodeBytes + (51 * Quota.GuaranteedBytes));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100_000)]
    [InlineData(2_000_000)]
    [InlineData(int.MaxValue)]
    public void AStreamAloneMayHoldAsManyMessagesAsItIsTold(int messages)
    {
        var limits = new PendingLimits(PendingQuota.Of(messages, 64 << 20, 256 << 20));
        Assert.Equal(messages, limits.Open().MessagesLeft);
    }

    [Theory]
    [InlineData(64L << 10)]
    [InlineData(1L << 20)]
    [InlineData(8L << 20)]
    [InlineData(256L << 20)]
    public void TheNodesLimitHoldsWithThirtyTwoStreamsHoweverSmallItIs(long nodeBytes)
    {
        var limits = new PendingLimits(PendingQuota.Of(int.MaxValue, nodeBytes, nodeBytes));
        PendingAccount[] accounts = [.. Enumerable.Range(0, 32).Select(_ => limits.Open())];
        while (Array.Exists(accounts, static account => account.IsOpen))
        {
            foreach (PendingAccount account in accounts)
            {
                if (account.IsOpen) account.Add(1, 500);
            }
        }

        Assert.InRange(limits.Bytes, nodeBytes / 2, nodeBytes + (32 * 500));
        Assert.All(accounts, account => Assert.True(account.Bytes >= nodeBytes / 32 || account.Bytes >= 256 << 10));
    }

    [Fact]
    public void AGateThatOthersHoldShutOpensWhenTheyRelease()
    {
        var limits = new PendingLimits(Quota with { StreamBytes = long.MaxValue });
        PendingAccount large = limits.Open();
        long held = FillBytes(large);
        PendingAccount small = limits.Open(_told.Add);
        FillBytes(small);
        small.Remove(20, 10_000);
        Assert.False(small.IsOpen);

        // It holds some 65,000: more than half of the 75,000 that the large one left it, less than half of the 150,000
        // it may have alone.
        large.Remove((int)large.Messages, held);

        Assert.Equal([false, true], _told);
    }

    [Fact]
    public void ClosingAnAccountGivesEverythingBackAndTellsNobody()
    {
        PendingAccount account = _limits.Open(_told.Add);
        account.Add(1000, 5000);
        account.Close();

        Assert.Equal(0, _limits.Messages);
        Assert.Equal(0, _limits.Bytes);
        Assert.Equal([false], _told);
    }

    [Fact]
    public void AGateMayBeFilledAgainFromInsideItsOpening()
    {
        PendingAccount? account = null;
        account = _limits.Open(open =>
        {
            _told.Add(open);
            if (open && _told.Count < 10) account!.Add(600, 600);
        });
        account.Add(1000, 1000);
        account.Remove(500, 500);

        Assert.Equal([false, true, false], _told);
        Assert.Equal(1100, account.Messages);
    }

    [Fact]
    public void KeepsItsBooksUnderRandomUse()
    {
        for (ulong seed = 1; seed <= 60; seed++) CompareWithModel(seed);
    }

    private static void CompareWithModel(ulong seed)
    {
        var random = new SeededRandom(seed);
        var limits = new PendingLimits(RandomQuota);
        int count = 1 + (int)random.NextBelow(12);
        var accounts = new PendingAccount[count];
        var gates = new bool[count];
        var sizes = new List<long>[count];
        for (int index = 0; index < count; index++)
        {
            int me = index;
            gates[me] = true;
            sizes[me] = [];
            accounts[me] = limits.Open(open => gates[me] = open);
        }
        int shutTogether = 0;
        for (int step = 0; step < 2000; step++)
        {
            // Long spells of filling and of draining, so that gates are shut, several at once, and open again.
            int which = (int)random.NextBelow((ulong)count);
            bool filling = step % 600 < 400;
            if (filling && accounts[which].IsOpen)
            {
                long bytes = (long)random.NextBelow(1500);
                accounts[which].Add(1, bytes);
                sizes[which].Add(bytes);
            }
            else if (sizes[which].Count > 0 && (!filling || random.NextBelow(4) == 0))
            {
                int released = 1 + (int)random.NextBelow((ulong)Math.Min(3, sizes[which].Count));
                long bytes = sizes[which].Take(released).Sum();
                sizes[which].RemoveRange(0, released);
                accounts[which].Remove(released, bytes);
            }
            shutTogether = Math.Max(shutTogether, accounts.Count(account => !account.IsOpen));
            AssertBooks(limits, accounts, gates, sizes, $"seed {seed} step {step}");
        }
        Assert.True(
            shutTogether > count / 2, $"seed {seed}: only {shutTogether} gates of {count} were ever shut together");
    }

    private static void AssertBooks(
        PendingLimits limits, PendingAccount[] accounts, bool[] gates, List<long>[] sizes, string where)
    {
        Assert.True(limits.Messages == sizes.Sum(size => size.Count), where + ": messages");
        Assert.True(limits.Bytes == sizes.Sum(size => size.Sum()), where + ": bytes");
        Assert.True(
            limits.Bytes <= RandomQuota.NodeBytes + (accounts.Length * (RandomQuota.GuaranteedBytes + 1500)),
            where + ": node's limit");
        for (int index = 0; index < accounts.Length; index++)
        {
            PendingAccount account = accounts[index];
            Assert.True(account.IsOpen == gates[index], where + ": gate told");
            Assert.True(
                account.Messages == sizes[index].Count && account.Bytes == sizes[index].Sum(), where + ": account");

            // What the rule says, from scratch: half of what the others leave free, above the minimum.
            long messages =
                Rule(
                    index, sizes, size => size.Count, RandomQuota.StreamMessages, RandomQuota.GuaranteedMessages,
                    RandomQuota.NodeMessages);
            long bytes = Rule(
                index, sizes, size => size.Sum(), RandomQuota.StreamBytes, RandomQuota.GuaranteedBytes,
                RandomQuota.NodeBytes);
            bool full = account.Messages >= messages || account.Bytes >= bytes;
            bool half = account.Messages <= messages / 2 && account.Bytes <= bytes / 2;
            Assert.False(half && !account.IsOpen, where + ": shut though half is free");

            // An open gate shuts at the next message at the latest: others may have filled the node since.
            Assert.False(full && account.IsOpen && accounts.Length == 1, where + ": open though full");
        }
    }

    private static long Rule(
        int index, List<long>[] sizes, Func<List<long>, long> used, long stream, long minimum, long node)
    {
        long others = 0;
        for (int other = 0; other < sizes.Length; other++)
        {
            if (other != index && sizes[other].Count > 0) others += Math.Max(minimum, used(sizes[other]));
        }
        long mine = sizes[index].Count > 0 ? minimum : 0;
        return Math.Min(stream, minimum + (Math.Max(0, node - others - mine) / 2));
    }

    private static long FillBytes(PendingAccount account)
    {
        while (account.IsOpen) account.Add(1, 500);
        return account.Bytes;
    }
}
