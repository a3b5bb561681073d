using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Security;

/// <summary>
/// The key of a user's own for nodes of one machine: a file in the user's folder of state, made at first use. Only the
/// user may read it, so only processes of the user get into the cluster.
/// <para>
/// Another user who may write to the folder could plant a key that he knows, or put one there later. So the file and
/// its folder have to be this user's at every read (<see cref="FileTrust.Own"/>).
/// </para>
/// </summary>
internal static class LoopbackKey
{
    private const string FolderName = "quicksilver";
    private const string FileName = "loopback.key";
    private const int MostTries = 3;
    private const UnixFileMode OwnerFolder =
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    /// <summary>Returns the path of the key file, which exists afterwards.</summary>
    /// <param name="path">The path; empty after a failure.</param>
    /// <returns>The fault, as a clause that names every place that was tried; null for none.</returns>
    public static string? TryFind(out string path) => TryFind(Places(), out path);

    /// <summary>Finds or makes the key file in the first of some folders where that is possible.</summary>
    internal static string? TryFind(IEnumerable<string> places, out string path)
    {
        var faults = new List<string>();
        foreach (string place in places)
        {
            path = Path.Combine(place, FolderName, FileName);
            if (TryMake(path) is not { } fault) return null;
            faults.Add(fault);
        }
        path = "";
        return faults.Count > 0
            ? string.Join("; ", faults)
            : "there is no folder for it: HOME, XDG_STATE_HOME, STATE_DIRECTORY and XDG_RUNTIME_DIR are not set";
    }

    // A folder without a fault is used even when a later one has a key: the order is the same in all processes.
    private static IEnumerable<string> Places()
    {
        if (OperatingSystem.IsWindows())
        {
            string local = Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData);
            if (local.Length > 0) yield return local;
            yield break;
        }
        string? state = Environment.GetEnvironmentVariable("XDG_STATE_HOME");
        string? home = Environment.GetEnvironmentVariable("HOME");
        if (Path.IsPathRooted(state)) yield return state!;
        else if (Path.IsPathRooted(home)) yield return Path.Combine(home!, ".local", "state");
        string? service = Environment.GetEnvironmentVariable("STATE_DIRECTORY")?.Split(':')[0];
        if (Path.IsPathRooted(service)) yield return service!;
        string? runtime = Environment.GetEnvironmentVariable("XDG_RUNTIME_DIR");
        if (Path.IsPathRooted(runtime)) yield return runtime!;
    }

    private static string? TryMake(string path)
    {
        try
        {
            // Another process may make the file between the look and the write: its file is as good.
            for (int tries = 0; tries < MostTries; tries++)
            {
                if (File.Exists(path) || IsLink(path)) return Judge(path);
                string folder = Path.GetDirectoryName(path)!;
                if (OperatingSystem.IsWindows()) Directory.CreateDirectory(folder);
                else Directory.CreateDirectory(folder, OwnerFolder);
                try
                {
                    KeyFile.WriteNew(path);
                }
                catch (IOException) when (File.Exists(path))
                {
                    continue;
                }
            }
            return Judge(path);
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            return $"'{path}' cannot be made: {refusal.Message.TrimEnd('.')}";
        }
    }

    private static string? Judge(string path)
    {
        string? fault = GuardedFile.TryOpen(path, FileTrust.Own, out SafeFileHandle? file, out _);
        file?.Dispose();
        return fault;
    }

    private static bool IsLink(string path) => new FileInfo(path).LinkTarget is not null;
}
