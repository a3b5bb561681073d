using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Transport;

/// <summary>
/// The few calls of libc that .NET has no equal for: waiting on many sockets and on other threads at once, in fractions of a millisecond. Measured:
/// sending and receiving by plain <see cref="System.Net.Sockets.Socket"/> calls is as fast as by P/Invoke, waiting is not. None suppresses the GC
/// transition: all of them enter the kernel.
/// </summary>
internal static partial class LinuxNative
{
    /// <summary>Add a descriptor.</summary>
    public const int EpollAdd = 1;

    /// <summary>Take a descriptor out.</summary>
    public const int EpollDelete = 2;

    /// <summary>Readable.</summary>
    public const uint EpollIn = 1;

    /// <summary>Tell of a change once, not for as long as it lasts.</summary>
    public const uint EpollEdge = 1u << 31;

    /// <summary>Close on exec, for epoll and eventfd alike.</summary>
    public const int CloseOnExec = 0x80000;

    /// <summary>An eventfd that never blocks.</summary>
    public const int NonBlocking = 0x800;

    /// <summary>The call was interrupted by a signal.</summary>
    public const int Interrupted = 4;

    /// <summary>Makes an epoll instance.</summary>
    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    public static partial int EpollCreate(int flags);

    /// <summary>Adds or removes a descriptor.</summary>
    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    public static unsafe partial int EpollControl(SafeFileHandle epoll, int operation, nint descriptor, void* registration);

    /// <summary>Waits, in milliseconds.</summary>
    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    public static unsafe partial int EpollWait(SafeFileHandle epoll, void* events, int most, int milliseconds);

    /// <summary>Waits, in nanoseconds; Linux 5.11, glibc 2.35.</summary>
    [LibraryImport("libc", EntryPoint = "epoll_pwait2", SetLastError = true)]
    public static unsafe partial int EpollWaitPrecisely(SafeFileHandle epoll, void* events, int most, TimeSpec* timeout, void* signalMask);

    /// <summary>Makes a counter that other threads can wake an epoll with.</summary>
    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    public static partial int EventCreate(uint initial, int flags);

    /// <summary>Adds to an eventfd.</summary>
    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    public static unsafe partial nint Write(SafeFileHandle descriptor, void* bytes, nuint count);

    /// <summary>struct timespec on 64-bit Linux.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct TimeSpec
    {
        /// <summary>Whole seconds.</summary>
        public long Seconds;

        /// <summary>The rest.</summary>
        public long Nanoseconds;
    }
}
