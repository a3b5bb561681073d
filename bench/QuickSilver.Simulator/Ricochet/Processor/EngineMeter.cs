using System.Diagnostics;

namespace QuickSilver.Simulator.Ricochet.Processor;

/// <summary>
/// Real time spent in engines. The program has one thread, so one section is open at a time; what listeners do inside
/// it is taken off. The cost of reading the clock is measured first and taken off, too. A section of more than half a
/// millisecond counts as the mean of the others: the system has taken the processor away in it.
/// </summary>
internal sealed class EngineMeter
{
    private const int Samples = 200_000;
    private static readonly long Interrupted = Stopwatch.Frequency / 2000;
    private readonly double _ticksASection;
    private readonly long[] _ticks = new long[Enum.GetValues<EngineWork>().Length];
    private readonly long[] _sections = new long[Enum.GetValues<EngineWork>().Length];
    private readonly long[] _interrupted = new long[Enum.GetValues<EngineWork>().Length];
    private long _since;

    /// <summary>Measures an empty section.</summary>
    public EngineMeter()
    {
        for (int round = 0; round < 2; round++)
        {
            Clear();
            for (int sample = 0; sample < Samples; sample++)
            {
                Begin();
                End(EngineWork.TakePacket);
            }
        }
        _ticksASection = (double)_ticks[0] / Samples;
        Clear();
    }

    /// <summary>A call of an engine begins.</summary>
    public void Begin() => _since = Stopwatch.GetTimestamp();

    /// <summary>It has returned.</summary>
    public void End(EngineWork work)
    {
        long ticks = Stopwatch.GetTimestamp() - _since;
        _sections[(int)work]++;
        if (ticks > Interrupted) _interrupted[(int)work]++;
        else _ticks[(int)work] += ticks;
    }

    /// <summary>Runs what is not the engine's own work, within a section.</summary>
    public void Outside(Action action)
    {
        long left = Stopwatch.GetTimestamp();
        action();
        _since += Stopwatch.GetTimestamp() - left;
    }

    /// <summary>Forgets what was measured so far.</summary>
    public void Clear()
    {
        Array.Clear(_ticks);
        Array.Clear(_sections);
        Array.Clear(_interrupted);
    }

    /// <summary>Microseconds spent on one kind of work.</summary>
    public double Micros(EngineWork work)
    {
        double counted = Math.Max(1, _sections[(int)work] - _interrupted[(int)work]);
        double ticks = Math.Max(0, (_ticks[(int)work] / counted) - _ticksASection);
        return ticks * _sections[(int)work] * 1e6 / Stopwatch.Frequency;
    }
}
