using System.Runtime.InteropServices;

namespace QuickSilver.Bench.Roles;

/// <summary>Lets a child process die with its parent even when it is stopped, and cannot see that its input was closed.
/// Linux only; elsewhere nothing.</summary>
internal static partial class ParentDeath
{
    private const int SetParentDeathSignal = 1;
    private const int Kill = 9;

    /// <summary>Asks the kernel for it. It goes by the thread that started the process, so the parent must start its
    /// children on one that stays.</summary>
    public static void EndWithParent()
    {
        if (!OperatingSystem.IsLinux()) return;
        _ = Prctl(SetParentDeathSignal, Kill, 0, 0, 0);
    }

    [LibraryImport("libc", EntryPoint = "prctl")]
    private static partial int Prctl(int option, nuint second, nuint third, nuint fourth, nuint fifth);
}
