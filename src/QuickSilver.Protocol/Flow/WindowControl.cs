using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Flow;

/// <summary>
/// How much of one stream may be under way beyond what the slowest member has read: the limit that keeps members' kernel buffers from overflowing.
/// <para>
/// Idea: what has been sent and not yet been read lies, at worst, in the slowest member's receive buffer. So the window is half of the smallest
/// buffer, in the kernel's own accounting (<see cref="KernelCharge"/>), divided by the streams that share it. It follows intake, how far members
/// have read, and not stability: a lost packet is no reason to slow down. The other half is for repairs, for what the kernel frees late, and for
/// estimates that are wrong.
/// </para>
/// <para>
/// Intake is known only as of the last feedback, so a window of buffer size caps the rate at window per feedback interval even when members read at
/// once. Therefore a sender that finds itself stopped by the window may grow beyond its share, by at most a tenth per max(feedback interval, 50 ms)
/// and up to sixteen times, as long as no member's kernel reports drops; a drop returns it to its share at once.
/// </para>
/// <para>
/// Awkward cases: a stream without feedback has its predecessor's share (the same sender in the view before) or an eighth; a train larger than the
/// window is allowed when nothing is under way, else a small share would never move; feedback that comes late or claims more than was sent is
/// clipped. O(1), allocates nothing, core thread only.
/// </para>
/// <para>
/// Use: ask <see cref="CanSend"/> (or <see cref="Room"/>) before a train, call <see cref="Sent"/> after it, keep the running total
/// <see cref="TotalSent"/> beside each packet, and hand the total that belongs to the reported intake back through <see cref="OnFeedback"/>.
/// </para>
/// </summary>
public sealed class WindowControl
{
    /// <summary>How far beyond its share a window may grow.</summary>
    public const double MaxGrowth = 16;

    /// <summary>The shortest time between two steps of growth.</summary>
    public static readonly TimeSpan GrowthInterval = TimeSpan.FromMilliseconds(50);

    private const double GrowthStep = 1.1;
    private const int NewStreamDivisor = 8;
    private static readonly TimeSpan ShortestInterval = TimeSpan.FromMicroseconds(100);

    private readonly long _firstShare;
    private long _receiveBuffer;
    private long _read;
    private int _streams;
    private double _growth = 1;
    private bool _limited;
    private bool _limitedSinceGrowth;
    private Instant _lastGrowth;
    private Instant _intervalFrom;

    /// <summary>Makes the window of a new stream.</summary>
    /// <param name="receiveBufferBytes">
    /// The smallest receive buffer among the region's members, as their kernels report it (on Linux, twice what was asked).
    /// </param>
    /// <param name="predecessorShare"><see cref="Share"/> of this sender's stream in the view before; 0: there was none.</param>
    public WindowControl(long receiveBufferBytes, long predecessorShare = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(receiveBufferBytes);
        _receiveBuffer = receiveBufferBytes;
        _firstShare = predecessorShare;
    }

    /// <summary>The smallest receive buffer among the members; may change when a member's becomes known.</summary>
    public long ReceiveBufferBytes
    {
        get => _receiveBuffer;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            _receiveBuffer = value;
        }
    }

    /// <summary>What the stream may have under way without growth, in kernel accounting.</summary>
    public long Share
    {
        get
        {
            long half = _receiveBuffer / 2;
            if (_streams > 0) return half / _streams;
            return _firstShare > 0 ? Math.Min(_firstShare, half) : half / NewStreamDivisor;
        }
    }

    /// <summary>What the stream may have under way now, in kernel accounting.</summary>
    public long Window => (long)(Share * _growth);

    /// <summary>The charge of everything sent so far: what stands beside a packet so that its intake can be turned into a charge.</summary>
    public long TotalSent { get; private set; }

    /// <summary>The charge of what is sent and not known to be read by the slowest member.</summary>
    public long Outstanding => TotalSent - _read;

    /// <summary>What may be sent now; 0 when the window is full.</summary>
    public long Room => Math.Max(0, Window - Outstanding);

    /// <summary>True when half of the window is used: feedback is wanted without delay.</summary>
    public bool IsHalfUsed => Outstanding > 0 && Outstanding >= Window / 2;

    /// <summary>True when the window stopped the sender at least once between the last two feedbacks.</summary>
    public bool WasLimited { get; private set; }

    /// <summary>Smoothed time between feedbacks while something was under way; zero before the first.</summary>
    public TimeSpan FeedbackInterval { get; private set; }

    /// <summary>Whether a train may be sent; when not, the sender counts as limited by the window.</summary>
    /// <param name="charge">The train's charge, by <see cref="KernelCharge"/>.</param>
    public bool CanSend(long charge)
    {
        if (charge <= Room || Outstanding == 0) return true;
        _limited = true;
        return false;
    }

    /// <summary>Counts a train that was sent.</summary>
    public void Sent(long charge, Instant now)
    {
        if (Outstanding == 0) _intervalFrom = now;
        TotalSent += charge;
    }

    /// <summary>Takes in one round's feedback.</summary>
    /// <param name="totalAtIntake"><see cref="TotalSent"/> as it was after the last packet that the slowest member has read.</param>
    /// <param name="activeStreams">Streams that share the members' buffers.</param>
    /// <param name="drops">Datagrams that members' kernels dropped since the round before.</param>
    /// <param name="now">The present instant.</param>
    public void OnFeedback(long totalAtIntake, int activeStreams, ulong drops, Instant now)
    {
        MeasureInterval(now);
        _read = Math.Clamp(totalAtIntake, _read, TotalSent);
        _streams = Math.Max(1, activeStreams);
        WasLimited = _limited;
        _limitedSinceGrowth |= _limited;
        _limited = false;

        if (drops > 0)
        {
            _growth = 1;
            _limitedSinceGrowth = false;
            _lastGrowth = now;
        }
        else if (_limitedSinceGrowth && now - _lastGrowth >= GrowthInterval)
        {
            _growth = Math.Min(MaxGrowth, _growth * GrowthStep);
            _limitedSinceGrowth = false;
            _lastGrowth = now;
        }
    }

    private void MeasureInterval(Instant now)
    {
        if (Outstanding > 0)
        {
            TimeSpan sample = now - _intervalFrom;
            if (sample < ShortestInterval) sample = ShortestInterval;
            FeedbackInterval = FeedbackInterval == TimeSpan.Zero ? sample : FeedbackInterval + ((sample - FeedbackInterval) / 4);
        }
        _intervalFrom = now;
    }
}
