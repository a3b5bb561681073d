using System.Diagnostics;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Sites.Links;

/// <summary>
/// How fast a link sends: the rate at which the other end receives, raised by the share that is lost at random.
/// <para>
/// Idea: loss says little on a long way, and delay says much. So the pace follows the highest rate of reception of ten
/// round trips. A quarter more is tried for a round trip, a quarter less follows, then six round trips at the rate
/// itself. Packets on their way are capped by the rate and the least round trip.
/// </para>
/// <para>
/// Rule: the loss that counts as random is that of packets sent at the rate or below. The pace is the rate received,
/// divided by the share that arrives, so a share of 20 % lost leaves the pace where it was. The correction ends at one
/// half. It does not apply while a queue stands: then losses may be the queue's. Packets that the other end has rebuilt
/// from parity were lost; it tells how many, not which, so they count at any pace.
/// </para>
/// <para>
/// Awkward cases: a carrier that paces itself (<see cref="LinkSettings.IsStream"/>) has a queue of its own, whose delay
/// says nothing: all but the cap is then off, and the rate is what was received of late. A round trip in which nothing
/// waited says nothing of the way, and only raises the rate. A cap that is configured is never exceeded.
/// </para>
/// <para>
/// A queue stands when the least round trip of a round is a quarter above the least of late, at least five
/// milliseconds, and the time of a packet. The pace is then three quarters until it is gone. It may be none: the way
/// may have become longer. So more is tried in one of ten such rounds, and the rate that is known stays.
/// </para>
/// <para>
/// Cost: a few additions a packet; allocates nothing. Source: the bandwidth and delay filters of BBR (Cardwell et al.,
/// CACM 60(2), 2017); the correction for loss is our own (docs/decisions/0150).
/// </para>
/// </summary>
internal sealed class Regulator(LinkSettings settings, LinkRoundTrip roundTrip)
{
    private const double StartupGain = 2.89;
    private const double DrainGain = 1 / StartupGain;
    private const double Growth = 1.25;
    private const int RoundsWithoutGrowth = 3;
    private const double Probing = 1.25;
    private const double Emptying = 0.75;
    private const double MostLoss = 0.5;
    private const double LossWeight = 1.0 / 256;
    private const double LeastRate = 8_000;
    private const int InitialPackets = 32;
    private const int LeastInFlight = 8;

    // Sockets and alarms are not exact: this much time is made up for.
    private static readonly TimeSpan Burst = TimeSpan.FromMilliseconds(1);
    // A round trip that is longer by less than this shows no queue.
    private static readonly TimeSpan LeastQueue = TimeSpan.FromMilliseconds(5);
    // The shortest time over which a rate is taken, and for which one is tried.
    private static readonly TimeSpan LeastInterval = TimeSpan.FromMilliseconds(10);
    private static readonly double[] Gains = [Probing, Emptying, 1, 1, 1, 1, 1, 1];

    private readonly RateFilter _filter = new();
    private double _gain = StartupGain;
    private int _cycle;
    private Instant _cycleAt;
    private ulong _roundEnd;
    private TimeSpan _roundLeast = TimeSpan.MaxValue;
    private bool _wasLimited = true;
    private bool _isMeasured;
    private double _fullRate;
    private int _fullRounds;
    private int _queuedRounds;
    private ulong _lossSamples;
    private double _asked;
    private double _unasked;
    private double _rebuilt;
    private int _acknowledged;

    /// <summary>What it is doing.</summary>
    public RegulatorPhase Phase { get; private set; }

    /// <summary>The share of packets that is lost at random, as far as is known.</summary>
    public double Loss => Math.Clamp(_asked + _unasked, 0, 1);

    /// <summary>The instant from which the next packet may go.</summary>
    public Instant NextSend { get; private set; }

    /// <summary>True while more than the rate is tried.</summary>
    public bool IsProbing => _gain > 1;

    /// <summary>Bytes a second that the way takes, as far as is known.</summary>
    public double Rate
    {
        get
        {
            if (settings.IsStream) return Capped(_filter.Rate);
            double rate = _filter.Rate / (1 - (_queuedRounds > 1 ? 0 : Math.Min(Loss, MostLoss)));
            if (!_isMeasured) rate = Math.Max(rate, InitialRate);
            return Capped(Math.Max(rate, LeastRate));
        }
    }

    /// <summary>Bytes a second at which packets leave now.</summary>
    public double Pace => Capped(settings.IsStream ? double.PositiveInfinity : Rate * _gain);

    /// <summary>Bytes that may be on their way.</summary>
    public double InFlightCap
    {
        get
        {
            if (settings.IsStream) return double.PositiveInfinity;
            double most = Math.Max(2, Phase == RegulatorPhase.Startup ? StartupGain : 0);
            double seconds = (roundTrip.Least + settings.AckDelay).TotalSeconds;
            return (most * Rate * seconds) + (LeastInFlight * settings.MaxRecord);
        }
    }

    private double EmptyingGain => (_queuedRounds + 1) % RateFilter.Rounds == 0 ? Probing : Emptying;

    private double InitialRate => InitialPackets * settings.MaxRecord / roundTrip.Least.TotalSeconds;

    /// <summary>Begins again, for a new epoch.</summary>
    public void Reset(Instant now)
    {
        _filter.Clear();
        _gain = StartupGain;
        _cycle = 0;
        _cycleAt = now;
        _roundEnd = 0;
        _roundLeast = TimeSpan.MaxValue;
        _wasLimited = true;
        _isMeasured = false;
        _fullRate = 0;
        _fullRounds = _queuedRounds = 0;
        _lossSamples = 0;
        _asked = _unasked = _rebuilt = 0;
        _acknowledged = 0;
        Phase = RegulatorPhase.Startup;
        NextSend = now;
    }

    /// <summary>A packet has left.</summary>
    public void OnSent(int bytes, Instant now)
    {
        Instant from = NextSend > now - Burst ? NextSend : now - Burst;
        NextSend = from + TimeSpan.FromSeconds(bytes / Pace);
    }

    /// <summary>Nothing waits to be sent.</summary>
    public void OnIdle() => _wasLimited = true;

    /// <summary>As many packets are open as may be: a higher rate would change nothing.</summary>
    public void OnWindowFull()
    {
        _wasLimited = _isMeasured = true;
        if (Phase == RegulatorPhase.Startup) BeginDrain();
    }

    /// <summary>A packet is acknowledged.</summary>
    /// <param name="wasLost">True when it was asked for.</param>
    /// <param name="wasProbe">True when more than the rate was tried as it left.</param>
    public void OnAcknowledged(bool wasLost, bool wasProbe)
    {
        _acknowledged++;
        if (wasProbe && _isMeasured) return;
        _lossSamples++;
        _asked += ((wasLost ? 1 : 0) - _asked) * Math.Max(LossWeight, 1.0 / _lossSamples);
    }

    /// <summary>Some of the packets acknowledged since the last call were lost, rebuilt and not asked for.</summary>
    /// <param name="count">How many; negative when some that were told of have come after all.</param>
    public void OnRebuilt(long count)
    {
        _rebuilt += count;
        if (_acknowledged == 0) return;
        double weight = Math.Min(1, _acknowledged * Math.Max(LossWeight, 1.0 / Math.Max(1, _lossSamples)));
        _unasked += (Math.Clamp(_rebuilt / _acknowledged, -1, 1) - _unasked) * weight;
        _rebuilt = 0;
        _acknowledged = 0;
    }

    /// <summary>A round trip was measured.</summary>
    public void OnRoundTrip(TimeSpan sample)
    {
        if (sample < _roundLeast) _roundLeast = sample;
    }

    /// <summary>Feedback has come.</summary>
    /// <param name="bytes">Bytes that have come, by the other end's count.</param>
    /// <param name="time">Its clock.</param>
    /// <param name="highest">The highest number that has come.</param>
    /// <param name="sent">The highest number that was sent.</param>
    /// <param name="inFlight">Bytes on their way.</param>
    /// <param name="now">The present instant.</param>
    public void OnFeedback(ulong bytes, TimeSpan time, ulong highest, ulong sent, double inFlight, Instant now)
    {
        Debug.Assert(highest <= sent, "nothing comes that was not sent");
        TimeSpan over = roundTrip.Least > LeastInterval ? roundTrip.Least : LeastInterval;
        _filter.Add(bytes, time, over);
        if (settings.IsStream)
        {
            if (highest < _roundEnd) return;
            _filter.EndRound();
            _roundEnd = sent + 1;
            return;
        }
        if (highest >= _roundEnd)
        {
            EndRound(now);
            _roundEnd = sent + 1;
        }
        if (Phase == RegulatorPhase.Drain && inFlight <= Rate * roundTrip.Least.TotalSeconds) Begin(2, now);
        if (Phase == RegulatorPhase.Cycle && now - _cycleAt >= over) Begin((_cycle + 1) % Gains.Length, now);
    }

    private void EndRound(Instant now)
    {
        TimeSpan least = roundTrip.Least;
        TimeSpan queue = least / 4 > LeastQueue ? least / 4 : LeastQueue;
        queue += TimeSpan.FromSeconds(settings.MaxRecord / Rate);
        bool isQueued = _roundLeast != TimeSpan.MaxValue && _roundLeast > least + queue;
        _queuedRounds = isQueued ? _queuedRounds + 1 : 0;
        _roundLeast = TimeSpan.MaxValue;
        if (!_wasLimited)
        {
            _isMeasured = true;
            if (Phase == RegulatorPhase.Startup) JudgeStartup(isQueued);
            _filter.EndRound();
        }
        _wasLimited = false;
        if (Phase != RegulatorPhase.Cycle) return;
        if (isQueued) _gain = EmptyingGain;
        else if (_gain < 1 && _cycle != 1) Begin(_cycle, now);
    }

    private void JudgeStartup(bool isQueued)
    {
        bool grows = _filter.Rate >= _fullRate * Growth;
        if (grows) _fullRate = _filter.Rate;
        _fullRounds = grows ? 0 : _fullRounds + 1;
        if (_fullRounds < RoundsWithoutGrowth && !(isQueued && _fullRounds > 0)) return;
        BeginDrain();
    }

    private void BeginDrain()
    {
        Phase = RegulatorPhase.Drain;
        _gain = DrainGain;
    }

    private void Begin(int cycle, Instant now)
    {
        Phase = RegulatorPhase.Cycle;
        _cycle = cycle;
        _cycleAt = now;
        _gain = _queuedRounds > 0 && Gains[cycle] >= 1 ? EmptyingGain : Gains[cycle];
    }

    private double Capped(double rate) => settings.MaxRate > 0 ? Math.Min(rate, settings.MaxRate) : rate;
}
