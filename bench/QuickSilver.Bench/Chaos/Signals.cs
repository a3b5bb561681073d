using System.Runtime.InteropServices;

namespace QuickSilver.Bench.Chaos;

/// <summary>Signals to processes this one has started (Linux).</summary>
internal static partial class Signals
{
    private const int KillNumber = 9;
    private const int ContinueNumber = 18;
    private const int StopNumber = 19;

    /// <summary>Ends a process at once: it does nothing any more, not even say goodbye.</summary>
    public static void Kill(int process) => _ = Send(process, KillNumber);

    /// <summary>Freezes a process.</summary>
    public static void Stop(int process) => _ = Send(process, StopNumber);

    /// <summary>Lets a frozen process go on.</summary>
    public static void Continue(int process) => _ = Send(process, ContinueNumber);

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Send(int process, int signal);
}
