using System.Globalization;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// The libc calls for memory without a file. .NET maps files, but can neither create nor seal such memory, and controls
/// the end of its mappings itself. For 64-bit Linux, where an offset is a long.
/// </summary>
internal static unsafe partial class SegmentNative
{
    /// <summary>Close on exec.</summary>
    public const uint CloseOnExec = 1;

    /// <summary>Allow seals.</summary>
    public const uint AllowSealing = 2;

    /// <summary>Never executable; from Linux 6.3. Some systems refuse memory without this flag, and kernels before 6.3
    /// refuse memory with it.</summary>
    public const uint NoExecute = 8;

    /// <summary>Forbids further seals.</summary>
    public const int SealSeal = 1;

    /// <summary>Forbids shrinking.</summary>
    public const int SealShrink = 2;

    /// <summary>Forbids growing.</summary>
    public const int SealGrow = 4;

    /// <summary>Add seals.</summary>
    public const int AddSeals = 1033;

    /// <summary>Read the seals.</summary>
    public const int GetSeals = 1034;

    /// <summary>Pages may be read.</summary>
    public const int Read = 1;

    /// <summary>Pages may be written.</summary>
    public const int Write = 2;

    /// <summary>Writes of one mapping are visible to all others.</summary>
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

    /// <summary>Creates memory with a descriptor.</summary>
    [LibraryImport(
        "libc", EntryPoint = "memfd_create", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int MemoryCreate(string name, uint flags);

    /// <summary>Adds or reads seals.</summary>
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int Control(SafeFileHandle descriptor, int command, int argument);

    /// <summary>Maps memory.</summary>
    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    public static partial nint Map(
        nint address, nuint length, int protection, int flags, SafeFileHandle descriptor, long offset);

    /// <summary>Changes the protection of mapped pages.</summary>
    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    public static partial int Protect(nint address, nuint length, int protection);

    /// <summary>Ends a mapping.</summary>
    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    public static partial int Unmap(nint address, nuint length);

    /// <summary>Returns the effective user of the process.</summary>
    [LibraryImport("libc", EntryPoint = "geteuid")]
    public static partial uint EffectiveUser();

    /// <summary>
    /// Reaches the target of a path without opening it, which no device, pipe or lease notices. The descriptor permits
    /// neither reading nor writing.
    /// </summary>
    public static SafeFileHandle Reach(string path) => new(Open(path, PathOnly | CloseExec), ownsHandle: true);

    /// <summary>Returns a path to the target of a descriptor of this process, which stays valid if the original path
    /// changes.</summary>
    public static string PathOf(SafeFileHandle descriptor) =>
        string.Create(CultureInfo.InvariantCulture, $"/proc/self/fd/{descriptor.DangerousGetHandle()}");

    /// <summary>Opens for reading and writing, without waiting.</summary>
    public static SafeFileHandle OpenAgain(string path) =>
        new(Open(path, ReadWrite | NonBlocking | CloseExec), ownsHandle: true);

    /// <summary>Finds the device of a regular file that belongs to the effective user of the process.</summary>
    /// <param name="descriptor">A descriptor of the file, which need not be readable.</param>
    /// <param name="device">The number of the device.</param>
    /// <returns>False when it belongs to another user, or is not a regular file.</returns>
    public static bool TryGetDevice(SafeFileHandle descriptor, out ulong device)
    {
        // struct statx is the same on every architecture; 256 bytes.
        byte* status = stackalloc byte[256];
        device = 0;
        const uint Wanted = WantsKind | WantsUser;
        if (Status(descriptor, "", EmptyPath, Wanted, status) != 0 || (*(uint*)status & Wanted) != Wanted) return false;
        device = ((ulong)*(uint*)(status + DeviceOffset) << 32) | *(uint*)(status + DeviceOffset + sizeof(uint));
        return (*(ushort*)(status + ModeOffset) & KindMask) == RegularFile
            && *(uint*)(status + UserOffset) == EffectiveUser();
    }

    // The third argument is read only when a file is created.
    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Status(SafeFileHandle directory, string path, int flags, uint mask, byte* status);
}
