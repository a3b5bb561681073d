using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Protocol.Flow.Control;

/// <summary>
/// How much of one stream may be in flight beyond what the slowest member has read. This limit keeps members' kernel
/// buffers from overflowing.
/// <para>
/// Idea: unread packets lie, at worst, all in the slowest member's receive buffer. So the share is half of the smallest
/// buffer, in the kernel's own accounting (<see cref="KernelCharge"/>), divided by the streams that use it. The window
/// follows the members' read positions and not stability: a lost packet is no reason to slow down. The other half is
/// for repairs, for memory that the kernel frees late, and for wrong estimates.
/// </para>
/// <para>
/// The read position is known only as of the last feedback, which was measured up to a round before it came; rounds are
/// slow exactly when members are busy. So the slowest member is assumed to have read on since, at the rate measured
/// between feedbacks, for at most two feedback intervals. The share bounds the data beyond that estimate. Under
/// overload the measured rate is the member's capacity: the sender goes on at that rate, and the unread data in the
/// buffer stays near the share. Where only the window limits the sender, each feedback adds the share to what was read,
/// and the rate climbs.
/// </para>
/// <para>
/// The estimate is at most three quarters of a share ahead of feedback. Two shares are the whole buffer. So a member
/// that lost its processor, and has read nothing of the estimate, can still hold it all. More is needed only where a
/// member reads a whole share between two feedbacks. There the estimate may grow to fifteen shares, while a
/// window-limited sender finds that a larger window raises the read rate. Drops reported by a member's kernel prove an
/// estimate wrong. They end the growth and halve the share, down to an eighth; each feedback without drops restores a
/// tenth.
/// </para>
/// <para>
/// Awkward cases: a stream without feedback has its predecessor's share (the same sender in the view before) or an
/// eighth. A train larger than the window is allowed when nothing is in flight; otherwise a small share would never
/// move. Feedback that comes late, or claims more than was sent, is clipped. A stalled member is assumed to read for
/// two intervals, and not longer. O(1), allocates nothing, core thread only.
/// </para>
/// <para>
/// Use: ask <see cref="CanSend"/> (or <see cref="Room"/>) before a train and call <see cref="Sent"/> after it. Keep the
/// running total <see cref="TotalSent"/> with each packet, and pass the total at the reported read position to
/// <see cref="OnFeedback"/>. When a train cannot be sent, <see cref="OpensAt"/> gives the time to ask again.
/// </para>
/// </summary>
internal sealed class WindowControl
{
    /// <summary>How many shares may be in flight beyond the reported read position, whatever the rate.</summary>
    public const double MaxGrowth = 16;

    /// <summary>How many shares may be in flight where a larger window is not read faster.</summary>
    public const double MinGrowth = 1.75;

    private const double GrowthStep = 1.1;
    private const double WorthIt = 1.05;
    private const double NoMore = 0.8;

    private const double IntervalsBelieved = 2;
    private const double LeastCaution = 1.0 / 8;
    private const double Recovery = 1.1;
    private const double Memory = 0.75;
    private const int NewStreamDivisor = 8;
    // The shortest interval over which the rate of reading is measured.
    private static readonly TimeSpan ShortestInterval = TimeSpan.FromMicroseconds(100);
    // The shortest wait for a shut window to open.
    private static readonly TimeSpan ShortestWait = TimeSpan.FromMicroseconds(500);

    private readonly long _firstShare;
    private readonly long _receiveBuffer;
    private long _read;
    private int _streams;
    private double _readRate;
    private double _recentRead;
    private double _recentSeconds;
    private double _growth = MinGrowth;
    private double _rateAtGrowth;
    private double _caution = 1;
    private bool _limited;
    private Instant _readAt;
    private Instant _intervalFrom;

    /// <summary>Makes the window of a new stream.</summary>
    /// <param name="receiveBufferBytes">The smallest receive buffer among the region's members, as their kernels report
    /// it (on Linux, twice what was asked).</param>
    /// <param name="predecessorShare"><see cref="Share"/> of this sender's stream in the view before; 0: there was
    /// none.</param>
    public WindowControl(long receiveBufferBytes, long predecessorShare = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(receiveBufferBytes);
        _receiveBuffer = receiveBufferBytes;
        _firstShare = predecessorShare;
    }

    /// <summary>How much of the stream may lie in the slowest member's buffer, in kernel accounting.</summary>
    public long Share => (long)(FullShare * _caution);

    private long FullShare
    {
        get
        {
            long half = _receiveBuffer / 2;
            if (_streams > 0) return half / _streams;
            return _firstShare > 0 ? Math.Min(_firstShare, half) : half / NewStreamDivisor;
        }
    }

    /// <summary>
    /// How much the slowest member reads in a feedback interval, at least the share: the basis for pacing. In kernel
    /// accounting.
    /// </summary>
    public double PerInterval => Math.Max(Share, Math.Min(_readRate * FeedbackInterval.TotalSeconds, _growth * Share));

    /// <summary>
    /// The charge of everything sent so far. Kept with each packet, it turns a read position into a charge.
    /// </summary>
    public long TotalSent { get; private set; }

    /// <summary>The charge of the packets that are sent and not known to be read by the slowest member.</summary>
    public long Outstanding => TotalSent - _read;

    /// <summary>True when packets without feedback fill half of the share: feedback is wanted without delay.</summary>
    public bool IsHalfUsed => Outstanding > 0 && Outstanding >= Share / 2;

    /// <summary>True when the window stopped the sender at least once between the last two feedbacks.</summary>
    public bool WasLimited { get; private set; }

    /// <summary>Smoothed time between feedbacks while packets were in flight; zero before the first.</summary>
    public TimeSpan FeedbackInterval { get; private set; }

    /// <summary>The charge that may be sent now; 0 when the window is full.</summary>
    public long Room(Instant now) => Math.Max(0, Share - (Outstanding - BelievedRead(now)));

    /// <summary>Whether a train may be sent; when not, the sender counts as limited by the window.</summary>
    /// <param name="charge">The train's charge, by <see cref="KernelCharge"/>.</param>
    /// <param name="now">The present instant.</param>
    public bool CanSend(long charge, Instant now)
    {
        if (charge <= Room(now) || Outstanding == 0) return true;
        _limited = true;
        return false;
    }

    /// <summary>
    /// When a train that cannot be sent now can be; <see cref="Instant.Never"/> when it depends on feedback alone.
    /// </summary>
    /// <inheritdoc cref="CanSend"/>
    public Instant OpensAt(long charge, Instant now)
    {
        if (_readRate <= 0) return Instant.Never;
        long needed = charge - (Share - (Outstanding - BelievedRead(now)));
        var wait = TimeSpan.FromSeconds(Math.Min(needed / _readRate, 60));
        Instant opens = now + (wait > ShortestWait ? wait : ShortestWait);
        return opens - _readAt <= FeedbackInterval * IntervalsBelieved ? opens : Instant.Never;
    }

    /// <summary>Counts a train that was sent.</summary>
    public void Sent(long charge, Instant now)
    {
        if (Outstanding == 0) _intervalFrom = _readAt = now;
        TotalSent += charge;
    }

    /// <summary>Evaluates one round's feedback.</summary>
    /// <param name="totalAtReadPosition"><see cref="TotalSent"/> as it was after the last packet that the slowest
    /// member has read.</param>
    /// <param name="activeStreams">Streams that share the members' buffers.</param>
    /// <param name="drops">Datagrams that members' kernels dropped since the round before.</param>
    /// <param name="now">The present instant.</param>
    public void OnFeedback(long totalAtReadPosition, int activeStreams, ulong drops, Instant now)
    {
        TimeSpan interval = MeasureInterval(now);
        long before = _read;
        _read = Math.Clamp(totalAtReadPosition, _read, TotalSent);
        _readAt = now - FeedbackInterval;
        _streams = Math.Max(1, activeStreams);
        WasLimited = _limited;
        _limited = false;
        _caution = drops > 0 ? Math.Max(LeastCaution, _caution / 2) : Math.Min(1, _caution * Recovery);
        if (drops > 0) _growth = MinGrowth;
        if (interval > TimeSpan.Zero) MeasureRate(_read - before, interval.TotalSeconds);
    }

    // The charge that the slowest member is assumed to have read since the instant that feedback describes.
    private long BelievedRead(Instant now)
    {
        double since = Math.Clamp((now - _readAt).TotalSeconds, 0, IntervalsBelieved * FeedbackInterval.TotalSeconds);
        return (long)Math.Min(Math.Min(_readRate * since, (_growth - 1) * Share), Outstanding);
    }

    // The ratio of two decaying sums, not the mean of ratios. One round reports early what the next one reports late,
    // and intervals differ in the same way.
    private void MeasureRate(long read, double seconds)
    {
        _recentRead = (_recentRead * Memory) + read;
        _recentSeconds = (_recentSeconds * Memory) + seconds;
        _readRate = _recentRead / _recentSeconds;
        // Rates are noisy: where a larger window could not help, a rise of the rate is not credited to it.
        if (_readRate * FeedbackInterval.TotalSeconds <= FullShare) _growth = MinGrowth;
        else if (WasLimited) Grow();
    }

    // The window grows only while it pays. A larger window that is not read faster only fills buffers and delays
    // feedback.
    private void Grow()
    {
        if (_readRate > WorthIt * _rateAtGrowth) _growth = Math.Min(MaxGrowth, _growth * GrowthStep);
        else if (_readRate < NoMore * _rateAtGrowth) _growth = Math.Max(MinGrowth, _growth / GrowthStep);
        else return;
        _rateAtGrowth = _readRate;
    }

    private TimeSpan MeasureInterval(Instant now)
    {
        TimeSpan sample = default;
        if (Outstanding > 0)
        {
            sample = now - _intervalFrom;
            if (sample < ShortestInterval) sample = ShortestInterval;
            FeedbackInterval = FeedbackInterval == TimeSpan.Zero
                ? sample
                : FeedbackInterval + ((sample - FeedbackInterval) / 4);
        }
        _intervalFrom = now;
        return sample;
    }
}
