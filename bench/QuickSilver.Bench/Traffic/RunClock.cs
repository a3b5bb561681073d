using System.Diagnostics;

namespace QuickSilver.Bench.Traffic;

/// <summary>Tells a sender which part of the run it is in.</summary>
internal sealed class RunClock
{
    private const double CoolDownSeconds = 0.1;

    private readonly long _measuredTicks;
    private long _measureAt;
    private long _coolAt;
    private long _endAt;

    /// <summary>The run begins now.</summary>
    public RunClock(double warmUpSeconds, double measuredSeconds)
    {
        Start = Stopwatch.GetTimestamp();
        _measuredTicks = ToTicks(measuredSeconds);
        MeasureFrom(Start + ToTicks(warmUpSeconds));
    }

    /// <summary>When the run began, in Stopwatch ticks.</summary>
    public long Start { get; }

    /// <summary>
    /// Moves the measured part to begin at an instant: for a sender that was held up over all of it,
    /// having filled a long queue before a slow network.
    /// </summary>
    public void MeasureFrom(long ticks)
    {
        _measureAt = ticks;
        _coolAt = _measureAt + _measuredTicks;
        _endAt = _coolAt + ToTicks(CoolDownSeconds);
    }

    /// <summary>The part at an instant; null when the run is over.</summary>
    public RunPhase? PhaseAt(long ticks)
    {
        if (ticks < _measureAt) return RunPhase.WarmUp;
        if (ticks < _coolAt) return RunPhase.Measured;
        return ticks < _endAt ? RunPhase.CoolDown : null;
    }

    private static long ToTicks(double seconds) => (long)(seconds * Stopwatch.Frequency);
}
