using System.Globalization;

namespace QuickSilver.Transport;

/// <summary>
/// What the host allows a node: read once at the start. Linux only; elsewhere nothing is known, and nothing is limited.
/// </summary>
/// <param name="OpenFiles">Descriptors that the process may have open (RLIMIT_NOFILE); null: unknown.</param>
/// <param name="MembershipsPerSocket">IPv4 multicast groups that one socket may join (igmp_max_memberships); null:
/// unknown. A node's sockets join one each.</param>
internal sealed record HostLimits(long? OpenFiles, long? MembershipsPerSocket)
{
    /// <summary>Descriptors that a node may need, with sixteen regions that have a socket each.</summary>
    public const int NeededFiles = 128;

    private const string OpenFilesLine = "Max open files";
    private const string LimitsFile = "/proc/self/limits";
    private const string MembershipsFile = "/proc/sys/net/ipv4/igmp_max_memberships";

    /// <summary>Regions that may have a socket each for sending: an eighth of the descriptors, and no more than
    /// sixteen.</summary>
    public int ConnectedSenders =>
        (int)Math.Min(RegionSenders.MaxConnected, (OpenFiles ?? long.MaxValue) / 8);

    /// <summary>True when the descriptors may not suffice.</summary>
    public bool IsShortOfFiles => OpenFiles < NeededFiles;

    /// <summary>Reads the limits of this process and its network namespace.</summary>
    public static HostLimits Read()
    {
        if (!OperatingSystem.IsLinux()) return new HostLimits(null, null);
        return new HostLimits(ParseOpenFiles(ReadFile(LimitsFile)), Parse(ReadFile(MembershipsFile)));
    }

    /// <summary>Finds the limit in force in the kernel's table; null when it is absent or unlimited.</summary>
    public static long? ParseOpenFiles(string table)
    {
        foreach (string line in table.Split('\n'))
        {
            if (line.StartsWith(OpenFilesLine, StringComparison.Ordinal))
                return Parse(line[OpenFilesLine.Length..].TrimStart().Split(' ')[0]);
        }
        return null;
    }

    private static long? Parse(string text) =>
        long.TryParse(text.AsSpan().Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out long value)
            ? value
            : null;

    private static string ReadFile(string path)
    {
        try
        {
            return File.ReadAllText(path);
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
