using System.Globalization;

namespace QuickSilver.Security;

/// <summary>
/// The limit of the files of this process (RLIMIT_FSIZE; ulimit -f), which batch systems set. To exceed it ends the
/// process by a signal. Memory that processes share counts as a file. So what makes one looks here first.
/// </summary>
internal static class FileSizeLimit
{
    private const string Line = "Max file size";

    /// <summary>True when a file of a length may be made.</summary>
    /// <param name="bytes">The length.</param>
    /// <param name="reason">The reason, as a clause; otherwise empty.</param>
    public static bool Allows(long bytes, out string reason)
    {
        reason = "";
        if (!OperatingSystem.IsLinux() || Parse(Read()) is not { } limit || bytes <= limit) return true;
        reason = $"files of this process have at most {limit} bytes (RLIMIT_FSIZE), and {bytes} are needed: "
            + "raise ulimit -f";
        return false;
    }

    /// <summary>Finds the limit in force in the kernel's table; null when it is absent or unlimited.</summary>
    internal static long? Parse(string table)
    {
        foreach (string line in table.Split('\n'))
        {
            if (line.StartsWith(Line, StringComparison.Ordinal))
                return long.TryParse(
                    line[Line.Length..].TrimStart().Split(' ')[0], NumberStyles.None, CultureInfo.InvariantCulture,
                    out long value)
                    ? value
                    : null;
        }
        return null;
    }

    private static string Read()
    {
        try
        {
            return File.ReadAllText("/proc/self/limits");
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
