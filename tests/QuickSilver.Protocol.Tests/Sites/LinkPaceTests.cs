using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Sites.Links;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>The pace of a link whose way has a narrow place, and changes.</summary>
public sealed class LinkPaceTests
{
    private const double NarrowRate = 500_000;
    private const double QueueBytes = 128 << 10;
    private const int RecordBytes = 1000;

    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(20);

    // What is on its way is bounded by the least round trip of the last 10 to 20 s. After that it is the new way's.
    [Theory]
    [InlineData(20, 0.7)]
    [InlineData(60, 0.7)]
    [InlineData(200, 0.25)]
    public void AWayThatBecomesLongerCostsLittleForAWhile(int more, double share)
    {
        var way = new Way();
        way.Measure(TimeSpan.FromSeconds(2));
        Assert.InRange(way.Measure(TimeSpan.FromSeconds(5)), 0.85 * NarrowRate, NarrowRate);
        way.More = TimeSpan.FromMilliseconds(more);
        way.Measure(TimeSpan.FromSeconds(2));
        Assert.InRange(way.Measure(TimeSpan.FromSeconds(16)), share * NarrowRate, NarrowRate);
        way.Measure(TimeSpan.FromSeconds(4));
        Assert.InRange(way.Measure(TimeSpan.FromSeconds(5)), 0.85 * NarrowRate, NarrowRate);
        Assert.InRange(way.LongestQueue(TimeSpan.FromSeconds(3)), TimeSpan.Zero, TimeSpan.FromMilliseconds(60 + more));
    }

    [Fact]
    public void AWayThatBecomesShorterIsFollowed()
    {
        var way = new Way { More = TimeSpan.FromMilliseconds(80) };
        way.Measure(TimeSpan.FromSeconds(5));
        way.More = TimeSpan.Zero;
        way.Measure(TimeSpan.FromSeconds(2));
        Assert.InRange(way.Measure(TimeSpan.FromSeconds(5)), 0.85 * NarrowRate, NarrowRate);
        Assert.InRange(way.LongestQueue(TimeSpan.FromSeconds(3)), TimeSpan.Zero, TimeSpan.FromMilliseconds(60));
    }

    [Theory]
    [InlineData(0.5)]
    [InlineData(0.25)]
    public void AWayThatBecomesNarrowerHasNoLastingQueue(double share)
    {
        var way = new Way();
        way.Measure(TimeSpan.FromSeconds(5));
        way.Rate = share * NarrowRate;
        way.Measure(TimeSpan.FromSeconds(5));
        Assert.InRange(way.Measure(TimeSpan.FromSeconds(5)), 0.85 * way.Rate, way.Rate);
        Assert.InRange(way.LongestQueue(TimeSpan.FromSeconds(3)), TimeSpan.Zero, TimeSpan.FromMilliseconds(100));
    }

    // A link that always has something to send, over a way of 20 ms there and back, and more.
    private sealed class Way
    {
        private readonly LinkPair _pair = LinkPair.Up();
        private Instant _free;
        private TimeSpan _longest;

        public Way()
        {
            _pair.Late = LateOf;
            _pair.Loses = (from, _, _) => from == _pair.First && Queued * Rate > QueueBytes;
        }

        public TimeSpan More { get; set; }

        public double Rate { get; set; } = NarrowRate;

        /// <summary>Bytes of records a second that come.</summary>
        public double Measure(TimeSpan time)
        {
            int before = _pair.Second.Records.Count;
            for (TimeSpan run = TimeSpan.Zero; run < time; run += Tick)
            {
                while (_pair.First.Link.Waiting < 200)
                    _pair.First.Link.Offer(new LinkItem(new byte[1], new byte[RecordBytes - 1]), _pair.Now);
                _pair.RunFor(Tick);
            }
            return (_pair.Second.Records.Count - before) * RecordBytes / time.TotalSeconds;
        }

        public TimeSpan LongestQueue(TimeSpan time)
        {
            _longest = TimeSpan.Zero;
            Measure(time);
            return _longest;
        }

        private TimeSpan LateOf(LinkPair.End from, byte[] datagram)
        {
            if (from != _pair.First) return More / 2;
            Instant start = _free > _pair.Now ? _free : _pair.Now;
            _free = start + TimeSpan.FromSeconds(datagram.Length / Rate);
            TimeSpan queued = _free - _pair.Now;
            if (queued > _longest) _longest = queued;
            return queued + (More / 2);
        }

        private double Queued => _free > _pair.Now ? (_free - _pair.Now).TotalSeconds : 0;
    }
}
