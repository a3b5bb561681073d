using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace QuickSilver.Bench.Traffic;

/// <summary>
/// Makes the messages of a run, the same for every kind of sender: round-robin over groups, at full speed or at a fixed
/// rate. With a rate each message is due at its own instant whatever
/// became of those before it, and is stamped with that instant, so a stall shows in the latency of every message it
/// held up (no coordinated omission). At full speed the clock is read once for 64 messages, which costs more than
/// sending a small message does. One thread.
/// </summary>
internal sealed class TrafficSource
{
    private const int StampEvery = 64;

    private readonly long[] _sentByGroup;
    private readonly RunClock _clock;
    private readonly double _ticksPerMessage;
    private readonly LatencyHistogram _lateness = new();
    private readonly LoadMeter _meter;
    private RunPhase _phase;
    private long _now;
    private int _group;

    /// <summary>The run begins now.</summary>
    /// <param name="groups">How many groups.</param>
    /// <param name="clock">How long its parts are.</param>
    /// <param name="rate">Messages a second; 0: full speed.</param>
    /// <param name="meter">Told when the measured part begins and ends.</param>
    public TrafficSource(int groups, RunClock clock, double rate, LoadMeter meter)
    {
        _sentByGroup = new long[groups];
        _clock = clock;
        IsPaced = rate > 0;
        _ticksPerMessage = IsPaced ? Stopwatch.Frequency / rate : 0;
        _meter = meter;
    }

    /// <summary>Told when each message with a due instant was made; null where all processes have one clock.</summary>
    public EchoMeter? Echo { get; init; }

    /// <summary>Messages made.</summary>
    public long Sent { get; private set; }

    /// <summary>Of those, in the measured part.</summary>
    public long Measured { get; private set; }

    /// <summary>
    /// Whether the next message is due already: always at full speed. A sender that gathers messages sends what it has
    /// when this is false.
    /// </summary>
    public bool IsBehind => TimeToNext <= TimeSpan.Zero;

    /// <summary>How long until the next message is due: not positive when it is; at full speed none is waited
    /// for.</summary>
    public TimeSpan TimeToNext =>
        IsPaced ? Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), DueOf(Sent)) : TimeSpan.Zero;

    /// <summary>Whether messages are due one by one.</summary>
    public bool IsPaced { get; }

    /// <summary>How late messages with a due instant were made: the pacing's own share of their latency.</summary>
    public LatencySummary? Lateness => _lateness.Summarize();

    /// <summary>Makes the next message, waiting until it is due.</summary>
    /// <returns>False when the run is over.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryNext(out MeasuredHeader header)
    {
        if (IsPaced || (Sent & (StampEvery - 1)) == 0) return TryNextStamped(out header);
        // Stamped, and in the part of the run, as the one before.
        header = Make(_now);
        return true;
    }

    /// <summary>
    /// Makes the next message of a group, whosever turn it is: for senders that are asked by group, at full speed.
    /// </summary>
    /// <returns>False when the run is over.</returns>
    public bool TryNextOf(int group, out MeasuredHeader header)
    {
        _group = group;
        return TryNext(out header);
    }

    private bool TryNextStamped(out MeasuredHeader header)
    {
        header = default;
        long now = _now = Stopwatch.GetTimestamp();
        long ticks = now;
        if (IsPaced)
        {
            ticks = DueOf(Sent);
            if (_clock.PhaseAt(ticks) is null) return false;
            now = Pacer.WaitUntil(ticks);
        }
        if (!IsPaced && _phase == RunPhase.WarmUp
            && _clock.PhaseAt(ticks) is not (RunPhase.WarmUp or RunPhase.Measured))
            _clock.MeasureFrom(ticks);
        if (_clock.PhaseAt(ticks) is not { } phase) return false;
        if (phase != _phase) Enter(phase);
        if (phase != RunPhase.CoolDown && IsPaced) _lateness.Record(now - ticks);
        header = Make(ticks);
        if (IsPaced) Echo?.OnSent(header, now);
        return true;
    }

    // When a message is due, at a fixed rate, in stopwatch ticks.
    private long DueOf(long message) => _clock.Start + (long)(message * _ticksPerMessage);

    private MeasuredHeader Make(long ticks)
    {
        int group = _group;
        if (++_group == _sentByGroup.Length) _group = 0;
        Sent++;
        if (_phase == RunPhase.Measured) Measured++;
        return new MeasuredHeader(group, _phase, ++_sentByGroup[group], ticks);
    }

    private void Enter(RunPhase phase)
    {
        _phase = phase;
        if (phase == RunPhase.Measured)
        {
            // What the warm-up has recorded was for the compiler's sake.
            _lateness.Clear();
            _meter.Begin();
            return;
        }
        _meter.End();
    }
}
