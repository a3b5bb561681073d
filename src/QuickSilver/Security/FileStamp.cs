using System.Globalization;

namespace QuickSilver.Security;

/// <summary>Tells whether a file may have changed.</summary>
internal static class FileStamp
{
    /// <summary>A text that changes when the file is written or replaced; a mounted secret is a link that is
    /// replaced.</summary>
    public static string Of(string path)
    {
        try
        {
            var file = new FileInfo(path);
            FileSystemInfo target = file.ResolveLinkTarget(returnFinalTarget: true) ?? file;
            return target is FileInfo { Exists: true } known
                ? string.Create(
                    CultureInfo.InvariantCulture, $"{known.FullName}|{known.LastWriteTimeUtc.Ticks}|{known.Length};")
                : "none;";
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            return "none;";
        }
    }
}
