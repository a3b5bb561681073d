using System.Globalization;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Security;

/// <summary>Tells whether a file may have changed.</summary>
internal static class FileStamp
{
    private const string None = "none;";

    /// <summary>A text that changes when the file is written or replaced, also by one of the same length and time; a
    /// mounted secret is a link that is replaced. Cost: three system calls.</summary>
    public static string Of(string path)
    {
        if (OperatingSystem.IsWindows()) return OfInfo(path);
        if (GuardedFile.TryOpen(path, FileTrust.Public, out SafeFileHandle? file, out string stamp) is not null)
            return None;
        file!.Dispose();
        return stamp;
    }

    private static string OfInfo(string path)
    {
        try
        {
            var file = new FileInfo(path);
            FileSystemInfo target = file.ResolveLinkTarget(returnFinalTarget: true) ?? file;
            return target is FileInfo { Exists: true } known
                ? string.Create(
                    CultureInfo.InvariantCulture,
                    $"{known.FullName}|{known.LastWriteTimeUtc.Ticks}|{known.CreationTimeUtc.Ticks}|{known.Length};")
                : None;
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            return None;
        }
    }
}
