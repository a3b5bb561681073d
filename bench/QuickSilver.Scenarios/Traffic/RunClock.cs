using System.Diagnostics;

namespace QuickSilver.Scenarios.Traffic;

/// <summary>Tells a sender which part of the run it is in.</summary>
internal sealed class RunClock
{
    private const double CoolDownSeconds = 0.1;

    private readonly long _measureAt;
    private readonly long _coolAt;
    private readonly long _endAt;

    /// <summary>The run begins now.</summary>
    public RunClock(double warmUpSeconds, double measuredSeconds)
    {
        Start = Stopwatch.GetTimestamp();
        _measureAt = Start + ToTicks(warmUpSeconds);
        _coolAt = _measureAt + ToTicks(measuredSeconds);
        _endAt = _coolAt + ToTicks(CoolDownSeconds);
    }

    /// <summary>When the run began, in Stopwatch ticks.</summary>
    public long Start { get; }

    /// <summary>The part at an instant; null when the run is over.</summary>
    public RunPhase? PhaseAt(long ticks)
    {
        if (ticks < _measureAt) return RunPhase.WarmUp;
        if (ticks < _coolAt) return RunPhase.Measured;
        return ticks < _endAt ? RunPhase.CoolDown : null;
    }

    private static long ToTicks(double seconds) => (long)(seconds * Stopwatch.Frequency);
}
