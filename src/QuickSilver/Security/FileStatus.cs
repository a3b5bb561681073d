using System.Globalization;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Security;

/// <summary>What an open file is, who owns it, and who may access it. Judged by the open file and not by its path,
/// which may come to name another one. For Linux and macOS.</summary>
/// <param name="IsRegular">False for a device, a pipe or a folder.</param>
/// <param name="Mode">The permissions.</param>
/// <param name="IsOwn">True when it belongs to the user of this process.</param>
/// <param name="Stamp">A text that changes when the file is written, or another one has taken its place: device and
/// number of the file, its length, the times of its data and of its status.</param>
internal readonly unsafe partial record struct FileStatus(bool IsRegular, UnixFileMode Mode, bool IsOwn, string Stamp)
{
    private const int EmptyPath = 0x1000;
    private const uint Wanted = 0x1 | 0x2 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200;
    private const int KindMask = 0xF000;
    private const int RegularFile = 0x8000;

    /// <summary>Reads the status of an open file.</summary>
    /// <returns>Null when the system does not tell.</returns>
    [UnsupportedOSPlatform("windows")]
    public static FileStatus? TryRead(SafeFileHandle file)
    {
        if (OperatingSystem.IsLinux()) return TryReadLinux(file);
        return OperatingSystem.IsMacOS() ? TryReadDarwin(file) : null;
    }

    // struct statx is the same on every architecture; 256 bytes.
    private static FileStatus? TryReadLinux(SafeFileHandle file)
    {
        byte* status = stackalloc byte[256];
        if (StatusLinux(file, "", EmptyPath, Wanted, status) != 0 || (*(uint*)status & Wanted) != Wanted) return null;
        string stamp = string.Create(
            CultureInfo.InvariantCulture,
            $"{*(ulong*)(status + 136):x}|{*(ulong*)(status + 32)}|{*(ulong*)(status + 40)}|"
            + $"{*(long*)(status + 112)}.{*(uint*)(status + 120)}|{*(long*)(status + 96)}.{*(uint*)(status + 104)};");
        return Make(*(ushort*)(status + 28), *(uint*)(status + 20), stamp);
    }

    // struct stat with file numbers of 64 bits; 144 bytes.
    private static FileStatus? TryReadDarwin(SafeFileHandle file)
    {
        byte* status = stackalloc byte[256];
        int result = RuntimeInformation.ProcessArchitecture == Architecture.X64
            ? StatusDarwinX64(file, status)
            : StatusDarwin(file, status);
        if (result != 0) return null;
        string stamp = string.Create(
            CultureInfo.InvariantCulture,
            $"{*(uint*)status:x}|{*(ulong*)(status + 8)}|{*(long*)(status + 96)}|"
            + $"{*(long*)(status + 48)}.{*(long*)(status + 56)}|{*(long*)(status + 64)}.{*(long*)(status + 72)};");
        return Make(*(ushort*)(status + 4), *(uint*)(status + 16), stamp);
    }

    private static FileStatus Make(int mode, uint user, string stamp) =>
        new((mode & KindMask) == RegularFile, (UnixFileMode)(mode & 0xFFF), user == EffectiveUser(), stamp);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int StatusLinux(SafeFileHandle directory, string path, int flags, uint mask, byte* status);

    [LibraryImport("libc", EntryPoint = "fstat", SetLastError = true)]
    private static partial int StatusDarwin(SafeFileHandle file, byte* status);

    [LibraryImport("libc", EntryPoint = "fstat$INODE64", SetLastError = true)]
    private static partial int StatusDarwinX64(SafeFileHandle file, byte* status);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    private static partial uint EffectiveUser();
}
