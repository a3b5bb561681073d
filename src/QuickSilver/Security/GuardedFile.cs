using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Security;

/// <summary>Opens files of keys and certificates for reading, and judges the open file and its folder by a
/// <see cref="FileTrust"/>. Never waits, whatever lies at the path. On Windows the folders of a user keep others out,
/// and nothing is judged.</summary>
internal static partial class GuardedFile
{
    private const int LinkOnLinux = 40;
    private const int LinkOnDarwin = 62;

    private const UnixFileMode NotOwner =
        UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.GroupExecute
        | UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute;

    private const UnixFileMode NotShared =
        UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute | UnixFileMode.GroupWrite;

    /// <summary>Opens a file.</summary>
    /// <param name="path">The path.</param>
    /// <param name="trust">What is demanded of it.</param>
    /// <param name="file">The file, which the caller disposes of; null after a failure.</param>
    /// <param name="stamp">The stamp of the file: see <see cref="FileStatus.Stamp"/>.</param>
    /// <returns>The fault, as a clause that names the path; null for none.</returns>
    public static string? TryOpen(string path, FileTrust trust, out SafeFileHandle? file, out string stamp)
    {
        file = null;
        stamp = "";
        try
        {
            if (OperatingSystem.IsWindows())
            {
                file = File.OpenHandle(path, share: FileShare.ReadWrite | FileShare.Delete);
                return null;
            }
            if (trust != FileTrust.Public && JudgeFolder(path, trust) is { } open) return open;
            SafeFileHandle opened = Open(path, trust == FileTrust.Own);
            string? fault = Judge(path, trust, opened, out stamp);
            if (fault is null) file = opened;
            else opened.Dispose();
            return fault;
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return $"'{path}' cannot be read: {refusal.Message.TrimEnd('.')}";
        }
    }

    [UnsupportedOSPlatform("windows")]
    private static string? Judge(string path, FileTrust trust, SafeFileHandle file, out string stamp)
    {
        stamp = "";
        if (FileStatus.TryRead(file) is not { } status)
            return $"'{path}' cannot be read: this system does not tell whose file it is";
        stamp = status.Stamp;
        if (trust == FileTrust.Own && !status.IsOwn) return $"'{path}' belongs to another user: remove it";
        if (!status.IsRegular) return $"'{path}' cannot be read: it is not a file";
        if (trust == FileTrust.Own && (status.Mode & NotOwner) != 0)
            return $"'{path}' is open to other users of this machine: remove it, and start again to get a new one";
        return trust == FileTrust.Shared && (status.Mode & NotShared) != 0
            ? $"'{path}' is open to other users of this machine (mode {Octal(status.Mode)}): run chmod 600 on it"
            : null;
    }

    // Who may write to the folder may put another file in the place of the key. In a folder with the sticky bit only
    // the owner of the file may.
    [UnsupportedOSPlatform("windows")]
    private static string? JudgeFolder(string path, FileTrust trust)
    {
        string folder = Path.GetDirectoryName(path) is { Length: > 0 } named ? named : ".";
        using SafeFileHandle opened = Open(folder, trust == FileTrust.Own);
        if (FileStatus.TryRead(opened) is not { } status)
            return $"'{folder}' cannot be read: this system does not tell whose folder it is";
        if (trust == FileTrust.Own && !status.IsOwn)
            return $"the folder '{folder}' belongs to another user: remove it, or choose another";
        UnixFileMode writers = trust == FileTrust.Own
            ? UnixFileMode.GroupWrite | UnixFileMode.OtherWrite
            : UnixFileMode.OtherWrite;
        bool isOpen = (status.Mode & writers) != 0
            && (trust == FileTrust.Own || (status.Mode & UnixFileMode.StickyBit) == 0);
        return isOpen
            ? $"the folder '{folder}' lets other users of this machine replace its files (mode {Octal(status.Mode)}): "
                + "run chmod go-w on it"
            : null;
    }

    private static string Octal(UnixFileMode mode) => Convert.ToString((int)mode, 8);

    private static SafeFileHandle Open(string path, bool refusesLinks)
    {
        int descriptor = Open(path, Flags(refusesLinks));
        if (descriptor >= 0) return new SafeFileHandle(descriptor, ownsHandle: true);
        int error = Marshal.GetLastPInvokeError();
        bool isLink = refusesLinks && error == (OperatingSystem.IsMacOS() ? LinkOnDarwin : LinkOnLinux);
        throw new IOException(
            isLink
                ? "it is a link, and what this user has made is none: remove it"
                : Marshal.GetPInvokeErrorMessage(error));
    }

    // O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW. A pipe is opened without a writer, and judged.
    private static int Flags(bool refusesLinks)
    {
        if (OperatingSystem.IsMacOS()) return 0x4 | 0x100_0000 | (refusesLinks ? 0x100 : 0);
        bool isArm = RuntimeInformation.ProcessArchitecture
            is Architecture.Arm or Architecture.Arm64 or Architecture.Armv6 or Architecture.Ppc64le;
        return 0x800 | 0x8_0000 | (refusesLinks ? (isArm ? 0x8000 : 0x2_0000) : 0);
    }

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Open(string path, int flags);
}
