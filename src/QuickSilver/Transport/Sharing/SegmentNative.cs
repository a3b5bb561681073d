using System.Globalization;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// The calls of libc for memory without a file: .NET maps files, but can neither make such memory nor seal it, and ends a mapping when it sees fit.
/// For 64-bit Linux, where an offset is a long.
/// </summary>
internal static unsafe partial class SegmentNative
{
    /// <summary>Closed on exec.</summary>
    public const uint CloseOnExec = 1;

    /// <summary>May be sealed.</summary>
    public const uint AllowSealing = 2;

    /// <summary>Never to be executed; Linux 6.3. Where the system demands it memory without it is refused, before 6.3 memory with it.</summary>
    public const uint NoExecute = 8;

    /// <summary>Seals can no more be added.</summary>
    public const int SealSeal = 1;

    /// <summary>It never gets shorter.</summary>
    public const int SealShrink = 2;

    /// <summary>It never gets longer.</summary>
    public const int SealGrow = 4;

    /// <summary>Add seals.</summary>
    public const int AddSeals = 1033;

    /// <summary>What seals there are.</summary>
    public const int GetSeals = 1034;

    /// <summary>Pages may be read.</summary>
    public const int Read = 1;

    /// <summary>Pages may be written.</summary>
    public const int Write = 2;

    /// <summary>What one mapping writes all others see.</summary>
    public const int Shared = 1;

    private const int EmptyPath = 0x1000;
    private const uint WantsKind = 1;
    private const uint WantsUser = 8;
    private const int UserOffset = 20;
    private const int ModeOffset = 28;
    private const int DeviceOffset = 136;
    private const int KindMask = 0xF000;
    private const int RegularFile = 0x8000;
    private const int ReadWrite = 2;
    private const int NonBlocking = 0x800;
    private const int CloseExec = 0x80000;
    private const int PathOnly = 0x200000;

    /// <summary>Makes memory that is reached by a descriptor.</summary>
    [LibraryImport("libc", EntryPoint = "memfd_create", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int MemoryCreate(string name, uint flags);

    /// <summary>Seals, and tells of seals.</summary>
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int Control(SafeFileHandle descriptor, int command, int argument);

    /// <summary>Maps.</summary>
    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    public static partial nint Map(nint address, nuint length, int protection, int flags, SafeFileHandle descriptor, long offset);

    /// <summary>Changes what may be done to mapped pages.</summary>
    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    public static partial int Protect(nint address, nuint length, int protection);

    /// <summary>Ends a mapping.</summary>
    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    public static partial int Unmap(nint address, nuint length);

    /// <summary>The user that the process acts for.</summary>
    [LibraryImport("libc", EntryPoint = "geteuid")]
    public static partial uint EffectiveUser();

    /// <summary>
    /// Reaches what a path leads to without opening it: no device, pipe or lease learns of it. Nothing can be read or written through the descriptor.
    /// </summary>
    public static SafeFileHandle Reach(string path) => new(Open(path, PathOnly | CloseExec), ownsHandle: true);

    /// <summary>Where a descriptor of this process leads, whatever has become of the path that it was reached by.</summary>
    public static string PathOf(SafeFileHandle descriptor) =>
        string.Create(CultureInfo.InvariantCulture, $"/proc/self/fd/{descriptor.DangerousGetHandle()}");

    /// <summary>Opens for reading and writing, without waiting.</summary>
    public static SafeFileHandle OpenAgain(string path) => new(Open(path, ReadWrite | NonBlocking | CloseExec), ownsHandle: true);

    /// <summary>The device that holds a regular file of the user that the process acts for.</summary>
    /// <param name="descriptor">Reaches the file; need not be open for reading.</param>
    /// <param name="device">The device.</param>
    /// <returns>False when it is of another user, or no regular file.</returns>
    public static bool TryGetDevice(SafeFileHandle descriptor, out ulong device)
    {
        // struct statx is the same on every architecture; 256 bytes.
        byte* status = stackalloc byte[256];
        device = 0;
        const uint Wanted = WantsKind | WantsUser;
        if (Status(descriptor, "", EmptyPath, Wanted, status) != 0 || (*(uint*)status & Wanted) != Wanted) return false;
        device = ((ulong)*(uint*)(status + DeviceOffset) << 32) | *(uint*)(status + DeviceOffset + sizeof(uint));
        return (*(ushort*)(status + ModeOffset) & KindMask) == RegularFile && *(uint*)(status + UserOffset) == EffectiveUser();
    }

    // The third argument is read only when a file is made.
    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Status(SafeFileHandle directory, string path, int flags, uint mask, byte* status);
}
