using System.Globalization;

namespace QuickSilver.Bench.Chaos;

/// <summary>Finds which of some processes listens on a loopback TCP port (Linux: by the socket's inode).</summary>
internal static class ListenerFinder
{
    private const string Listening = "0A";
    private const int AddressField = 1;
    private const int StateField = 3;
    private const int InodeField = 9;

    /// <summary>The process that listens, or null.</summary>
    public static int? Find(int port, IEnumerable<int> processes)
    {
        string address = string.Create(CultureInfo.InvariantCulture, $"0100007F:{port:X4}");
        string? inode = File.ReadLines("/proc/net/tcp").Skip(1)
            .Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .Where(fields => fields[AddressField] == address && fields[StateField] == Listening)
            .Select(fields => fields[InodeField]).FirstOrDefault();
        if (inode is null) return null;
        string link = $"socket:[{inode}]";
        foreach (int process in processes)
        {
            if (HasOpen(process, link)) return process;
        }
        return null;
    }

    private static bool HasOpen(int process, string link)
    {
        try
        {
            return new DirectoryInfo($"/proc/{process}/fd").EnumerateFiles().Any(file => file.LinkTarget == link);
        }
        catch (Exception gone) when (gone is IOException or UnauthorizedAccessException)
        {
            // It has ended in between.
            return false;
        }
    }
}
