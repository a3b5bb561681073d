using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Frames;
using QuickSilver.Protocol.Sites.Links;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>What the ends of a link keep for parity is bounded.</summary>
public sealed class ParitySetsTests
{
    private const int Every = 4;

    private static readonly LinkSettings WithParity = new() { ParityEvery = Every };

    private static TimeSpan Ms(double milliseconds) => TimeSpan.FromMilliseconds(milliseconds);

    [Fact]
    public void NoMoreThanFourSetsAreOpenAndTheLowestGoesFirst()
    {
        var holes = new LinkHoles(WithParity, new LinkRoundTrip(Ms(20)));
        var sets = new ParitySets(WithParity, holes, new RejectCounters());
        holes.Open(1, 21, new Instant(1), areDue: false);
        byte[] record = [5];
        for (ulong set = 0; set < 5; set++)
            sets.Add(new ParityBody { First = 1 + (4 * set), Count = 4, Parity = new byte[1], Lengths = 0 });
        for (ulong number = 1; number <= 20; number++)
        {
            if (number % 4 == 0) continue;
            sets.Keep(number, record);
        }
        Assert.Equal(0UL, sets.Rebuild(1, out _));
        foreach (ulong lowest in (ulong[])[5, 9, 13, 17])
        {
            Assert.Equal(lowest + 3, sets.Rebuild(lowest, out ReadOnlySpan<byte> rebuilt));
            Assert.Equal(record, rebuilt.ToArray());
        }
        Assert.Equal(0UL, sets.Rebuild(5, out _));
    }

    [Fact]
    public void NothingIsAllocatedForAPacketOfASet()
    {
        var roundTrip = new LinkRoundTrip(Ms(20));
        var holes = new LinkHoles(WithParity, roundTrip);
        var sets = new ParitySets(WithParity, holes, new RejectCounters());
        var writer = new ParityWriter(WithParity, roundTrip);
        var item = new LinkItem(new byte[3], new byte[900]);
        var datagram = new byte[1500];
        var record = new byte[903];
        ulong number = 0;
        Turn();
        Turn();
        Assert.Equal(0, AllocatedBytes.Of(Turns));

        void Turns()
        {
            for (int turn = 0; turn < 1000; turn++) Turn();
        }

        void Turn()
        {
            for (int packet = 0; packet < Every * 8; packet++)
            {
                number++;
                writer.Add(number, item, new Instant(5));
                if (number % 7 == 0) holes.Open(number, number + 1, new Instant(5), areDue: false);
                else sets.Keep(number, record);
                if (number % Every != 0) continue;
                var wire = new WireWriter(datagram);
                writer.Write(ref wire);
                ParityBody.TryRead(datagram.AsSpan(0, wire.Written), out ParityBody parity);
                sets.Add(parity);
                ulong rebuilt = sets.Rebuild(number, out _);
                if (rebuilt > 0) holes.Fill(rebuilt);
            }
        }
    }
}
