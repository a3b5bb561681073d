using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Security;

/// <summary>Who owns an open file, and who may access it. Judged by the open file and not by its path, which may come
/// to name another one.</summary>
/// <param name="IsRegular">False for a device, a pipe or a folder.</param>
/// <param name="Mode">The permissions.</param>
/// <param name="IsOwn">True when it belongs to the user of this process. Always true where that cannot be
/// told.</param>
internal readonly unsafe partial record struct FileStatus(bool IsRegular, UnixFileMode Mode, bool IsOwn)
{
    private const int EmptyPath = 0x1000;
    private const uint WantsKind = 1;
    private const uint WantsMode = 2;
    private const uint WantsUser = 8;
    private const int UserOffset = 20;
    private const int ModeOffset = 28;
    private const int KindMask = 0xF000;
    private const int RegularFile = 0x8000;

    /// <summary>Reads the status of an open file.</summary>
    [UnsupportedOSPlatform("windows")]
    public static FileStatus Of(SafeFileHandle file)
    {
        if (!OperatingSystem.IsLinux()) return new FileStatus(true, File.GetUnixFileMode(file), true);
        // struct statx is the same on every architecture; 256 bytes.
        byte* status = stackalloc byte[256];
        const uint Wanted = WantsKind | WantsMode | WantsUser;
        if (Status(file, "", EmptyPath, Wanted, status) != 0 || (*(uint*)status & Wanted) != Wanted)
            return new FileStatus(true, File.GetUnixFileMode(file), true);
        int mode = *(ushort*)(status + ModeOffset);
        return new FileStatus(
            (mode & KindMask) == RegularFile, (UnixFileMode)(mode & 0xFFF),
            *(uint*)(status + UserOffset) == EffectiveUser());
    }

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Status(SafeFileHandle directory, string path, int flags, uint mask, byte* status);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    private static partial uint EffectiveUser();
}
