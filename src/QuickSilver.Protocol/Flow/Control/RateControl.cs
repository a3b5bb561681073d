using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow.Transports;

namespace QuickSilver.Protocol.Flow.Control;

/// <summary>
/// How fast one stream sends: a token bucket in packets, whose rate follows the window.
/// <para>
/// Idea: the window alone would let a sender burst its whole share after each feedback and then fall silent. Pacing
/// spreads the share. The rate is 1.25 x what the slowest member reads (at least a share) per feedback interval, which
/// leaves a quarter to grow into. The rate is never cut for a sender that the window did not stop: it had little to
/// send, or its feedback was slow. <see cref="RateSettings.Initial"/> applies before the first feedback; a fixed rate
/// ignores feedback.
/// </para>
/// <para>
/// The window is in kernel accounting and the users' limits are in packets, so it is divided by the smoothed charge of
/// a packet. Sending resumes not at each single credit but once a quantum is there: a quarter of a millisecond's
/// credits, at most a train. Waking more often costs more than it gains, and one train per wake-up costs a tenth of
/// single datagrams. Source: first paper, section 3, for the bucket; the adaptation is ours. O(1), allocates nothing,
/// core thread only.
/// </para>
/// <para>
/// Use: send at most <see cref="Allowance"/> packets, then call <see cref="Sent"/>; when the allowance is 0, set an
/// alarm for <see cref="NextSendAt"/>.
/// </para>
/// </summary>
internal sealed class RateControl
{
    private const double Headroom = 1.25;
    private const double QuantumSeconds = 250e-6;

    private readonly RateSettings _settings;
    private readonly int _trainDatagrams;
    private readonly TokenBucket _bucket;
    private double _chargePerPacket;
    private bool _waiting;

    /// <summary>Makes the rate of a new stream.</summary>
    /// <param name="settings">The limits.</param>
    /// <param name="trainDatagrams">The most datagrams in a train: a burst that is always allowed.</param>
    /// <param name="now">The present instant, at which the bucket is full.</param>
    public RateControl(RateSettings settings, int trainDatagrams, Instant now)
    {
        ArgumentNullException.ThrowIfNull(settings);
        ArgumentOutOfRangeException.ThrowIfLessThan(trainDatagrams, 1);
        _settings = settings;
        _trainDatagrams = trainDatagrams;
        double rate = Clamp(settings.Initial);
        _bucket = new TokenBucket(rate, Burst(rate), now);
    }

    /// <summary>The present rate in packets per second.</summary>
    public double PacketsPerSecond => _bucket.Rate;

    /// <summary>How many packets may be sent now; 0: not before <see cref="NextSendAt"/>.</summary>
    public int Allowance(Instant now)
    {
        int available = _bucket.Available(now);
        if (available == 0) _waiting = true;
        if (_waiting && available < Quantum) return 0;
        _waiting = false;
        return available;
    }

    /// <summary>Counts packets that were sent.</summary>
    /// <param name="packets">Number of packets.</param>
    /// <param name="charge">Their charge, by <see cref="KernelCharge"/>.</param>
    /// <param name="now">The present instant.</param>
    public void Sent(int packets, long charge, Instant now)
    {
        _bucket.Take(packets, now);
        double each = (double)charge / packets;
        _chargePerPacket = _chargePerPacket == 0 ? each : _chargePerPacket + ((each - _chargePerPacket) / 8);
    }

    /// <summary>When the allowance will be more than 0 again; <paramref name="now"/> when it is.</summary>
    public Instant NextSendAt(Instant now) => Allowance(now) > 0 ? now : _bucket.ReadyAt(Quantum, now);

    /// <summary>Follows the window, after the window has evaluated the feedback.</summary>
    public void OnFeedback(WindowControl window, Instant now)
    {
        if (_settings.Fixed || _chargePerPacket == 0 || window.FeedbackInterval <= TimeSpan.Zero) return;
        double rate = Clamp(Headroom * window.PerInterval / _chargePerPacket / window.FeedbackInterval.TotalSeconds);
        if (rate < _bucket.Rate && !window.WasLimited) return;
        _bucket.Change(rate, Burst(rate), now);
    }

    private int Quantum => (int)Math.Clamp(_bucket.Rate * QuantumSeconds, 1, _trainDatagrams);

    private double Burst(double rate) => Math.Max(_trainDatagrams, rate * RateSettings.CatchUp.TotalSeconds);

    private double Clamp(double rate)
    {
        if (_settings.Fixed) return _settings.Initial;
        double fastest = _settings.Max > 0 ? _settings.Max : double.MaxValue;
        return Math.Min(fastest, Math.Max(_settings.Min, rate));
    }
}
