using System.Runtime.InteropServices;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Membership.Election;

/// <summary>
/// The clock of leases. Unlike the clock of the loop it goes on while the machine sleeps, on Linux: a host that wakes
/// after its lease must not serve. Any thread; a reading costs some 50 ns.
/// </summary>
internal sealed partial class LeaseClock : IClock
{
    private const int BootTime = 7;

    private readonly MonotonicClock _other = new();

    /// <inheritdoc/>
    public Instant Now =>
        OperatingSystem.IsLinux() && ReadClock(BootTime, out TimeSpec time) == 0
            ? new Instant((time.Seconds * TimeSpan.TicksPerSecond) + (time.Nanoseconds / TimeSpan.NanosecondsPerTick))
            : _other.Now;

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int ReadClock(int clock, out TimeSpec time);

    private struct TimeSpec
    {
        public nint Seconds;
        public nint Nanoseconds;
    }
}
