using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// The round trip of a link: a moving average, and the least of the last ten to twenty seconds. Samples come from
/// hellos, and from packets that were never sent again. Allocates nothing.
/// </summary>
internal sealed class LinkRoundTrip(TimeSpan initial)
{
    // The least is that of this half window and the one before.
    private static readonly TimeSpan HalfWindow = TimeSpan.FromSeconds(10);

    // A sample is at least this long, so that divisions by round trips stay sane.
    private static readonly TimeSpan Shortest = TimeSpan.FromMicroseconds(20);

    private Instant _since;
    private TimeSpan _leastNow = TimeSpan.MaxValue;
    private TimeSpan _leastBefore = TimeSpan.MaxValue;

    /// <summary>The moving average.</summary>
    public TimeSpan Smoothed { get; private set; } = initial;

    /// <summary>How far samples are from it, on average.</summary>
    public TimeSpan Deviation { get; private set; } = initial / 2;

    /// <summary>The least of late.</summary>
    public TimeSpan Least { get; private set; } = initial;

    /// <summary>True once there was a sample.</summary>
    public bool IsMeasured { get; private set; }

    /// <summary>How long an answer to a request may take, before it is late.</summary>
    public TimeSpan Patience => Smoothed + Max(Max(Deviation * 4, Smoothed / 8), TimeSpan.FromMilliseconds(2));

    /// <summary>An eighth of it, or a least time: what is short beside a request and its answer.</summary>
    public TimeSpan ShortWait(TimeSpan least) => Max(least, Smoothed / 8);

    /// <summary>Takes a sample.</summary>
    public void Add(TimeSpan sample, Instant now)
    {
        if (sample < Shortest) sample = Shortest;
        if (!IsMeasured)
        {
            IsMeasured = true;
            Smoothed = sample;
            Deviation = sample / 4;
            _since = now;
        }
        else
        {
            TimeSpan error = sample - Smoothed;
            Smoothed += error / 5;
            Deviation += (error.Duration() - Deviation) / 4;
        }
        if (now - _since >= HalfWindow)
        {
            _leastBefore = _leastNow;
            _leastNow = TimeSpan.MaxValue;
            _since = now;
        }
        if (sample < _leastNow) _leastNow = sample;
        Least = _leastNow < _leastBefore ? _leastNow : _leastBefore;
    }

    private static TimeSpan Max(TimeSpan left, TimeSpan right) => left > right ? left : right;
}
