using System.Diagnostics;
using System.Runtime.InteropServices;

namespace QuickSilver.Bench.Traffic;

/// <summary>
/// Waits for instants. On Linux by clock_nanosleep to an absolute time with the thread's timer slack set to a
/// nanosecond, which wakes within tens of microseconds and uses no processor; spinning would be closer to the instant,
/// but would take a core from the receivers that are measured. Elsewhere it sleeps to about two milliseconds before the
/// instant and spins from there.
/// </summary>
internal static partial class Pacer
{
    private const int ClockMonotonic = 1;
    private const int AbsoluteTime = 1;
    private const int SetTimerSlack = 29;
    private const long NanosPerSecond = 1_000_000_000;
    private static readonly long SpinTicks = 2 * Stopwatch.Frequency / 1000;

    [ThreadStatic]
    private static bool _hasSlackSet;

    /// <summary>Returns at, or a little after, an instant; at once if it has passed.</summary>
    /// <param name="ticks">Stopwatch ticks.</param>
    /// <returns>The present instant.</returns>
    public static long WaitUntil(long ticks)
    {
        long now = Stopwatch.GetTimestamp();
        while (now < ticks)
        {
            if (OperatingSystem.IsLinux()) SleepUntil(ticks);
            else if (ticks - now > SpinTicks) Thread.Sleep(1);
            else Thread.SpinWait(20);
            now = Stopwatch.GetTimestamp();
        }
        return now;
    }

    // Stopwatch is CLOCK_MONOTONIC in nanoseconds here.
    private static void SleepUntil(long nanos)
    {
        if (!_hasSlackSet)
        {
            _ = Prctl(SetTimerSlack, 1, 0, 0, 0);
            _hasSlackSet = true;
        }
        var until = new TimeSpec(nanos / NanosPerSecond, nanos % NanosPerSecond);
        _ = ClockNanoSleep(ClockMonotonic, AbsoluteTime, in until, 0);
    }

    [LibraryImport("libc", EntryPoint = "clock_nanosleep")]
    private static partial int ClockNanoSleep(int clock, int flags, in TimeSpec request, nint remaining);

    [LibraryImport("libc", EntryPoint = "prctl")]
    private static partial int Prctl(int option, nuint second, nuint third, nuint fourth, nuint fifth);

    private readonly record struct TimeSpec(nint Seconds, nint Nanos)
    {
        public TimeSpec(long seconds, long nanos)
            : this((nint)seconds, (nint)nanos)
        {
        }
    }
}
