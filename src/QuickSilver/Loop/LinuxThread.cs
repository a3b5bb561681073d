using System.Runtime.InteropServices;

namespace QuickSilver.Loop;

/// <summary>Linux settings of the core thread; without effect on other systems.</summary>
internal static partial class LinuxThread
{
    private const int SetTimerSlack = 29;
    private const nuint OneNanosecond = 1;
    private const int MaskWords = 16;

    /// <summary>
    /// Makes the calling thread's timers precise (by default the kernel may delay them by 50 us), and binds the thread
    /// to a processor on request. Refusals are ignored: both affect speed only.
    /// </summary>
    public static unsafe void Prepare(int? processor)
    {
        if (!OperatingSystem.IsLinux()) return;
        _ = Prctl(SetTimerSlack, OneNanosecond, 0, 0, 0);
        if (processor is not { } index || index >= MaskWords * 64) return;
        ulong* mask = stackalloc ulong[MaskWords];
        new Span<ulong>(mask, MaskWords).Clear();
        mask[index / 64] = 1UL << (index % 64);
        _ = SetAffinity(0, MaskWords * sizeof(ulong), mask);
    }

    [LibraryImport("libc", EntryPoint = "prctl")]
    private static partial int Prctl(int option, nuint argument2, nuint argument3, nuint argument4, nuint argument5);

    [LibraryImport("libc", EntryPoint = "sched_setaffinity")]
    private static unsafe partial int SetAffinity(int thread, nuint bytes, ulong* mask);
}
