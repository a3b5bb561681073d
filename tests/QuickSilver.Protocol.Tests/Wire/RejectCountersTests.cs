using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public class RejectCountersTests
{
    [Fact]
    public void EachReasonIsCountedApartAndNoReasonIsNotCounted()
    {
        var counters = new RejectCounters();
        foreach (RejectReason reason in Enum.GetValues<RejectReason>()) counters.Count(reason);
        counters.Count(RejectReason.Malformed);

        Assert.Equal(0UL, counters[RejectReason.None]);
        Assert.Equal(1UL, counters[RejectReason.TooShort]);
        Assert.Equal(2UL, counters[RejectReason.Malformed]);
        Assert.Equal((ulong)Enum.GetValues<RejectReason>().Length, counters.Total);
    }
}
