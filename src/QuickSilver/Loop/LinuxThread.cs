using System.Runtime.InteropServices;

namespace QuickSilver.Loop;

/// <summary>What the core thread asks of Linux for itself; nothing elsewhere.</summary>
internal static partial class LinuxThread
{
    private const int SetTimerSlack = 29;
    private const nuint OneNanosecond = 1;
    private const int MaskWords = 16;

    /// <summary>
    /// Sharpens the calling thread's timers (by default the kernel lets them run 50 us late) and binds it to a processor if asked. Refusals are
    /// ignored: both only make things faster.
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
