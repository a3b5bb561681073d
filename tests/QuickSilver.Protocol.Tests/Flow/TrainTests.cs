using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class TrainTests
{
    [Theory]
    [InlineData(1000, 1000, 1)]
    [InlineData(300, 1000, 1)]
    [InlineData(2000, 1000, 2)]
    [InlineData(2001, 1000, 3)]
    public void AShorterLastDatagramCounts(int bytes, int segment, int count) =>
        Assert.Equal(count, new Train(new byte[bytes], segment, TrainRoute.Control, default, null).Count);

    [Fact]
    public void TheBytesAreThoseOfTheTrainAlone()
    {
        byte[] memory = [1, 2, 3, 4, 5];
        Assert.Equal([2, 3, 4], new Train(memory.AsMemory(1, 3), 3, TrainRoute.Control, default, null).Span.ToArray());
    }
}
