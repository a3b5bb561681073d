using QuickSilver.Bench.Processes;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Hostile;

/// <summary>
/// Another user of this machine: a shell that has nothing but a number of its own. Only root can start one; elsewhere
/// the tests are skipped, with the reason.
/// </summary>
internal sealed class OtherUser : IDisposable
{
    private const string Number = "65534";
    private const UnixFileMode Readable =
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute
        | UnixFileMode.GroupRead | UnixFileMode.GroupExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(90);

    private readonly TestFolder _folder = new();

    private OtherUser()
    {
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(_folder.Path, Readable);
    }

    /// <summary>A folder that the other user may read, and not write to.</summary>
    public string Folder => _folder.Path;

    /// <summary>Finds out whether there can be one; skips the test otherwise.</summary>
    public static async Task<OtherUser> FindAsync()
    {
        Assert.SkipUnless(
            OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "it takes root to act as another user");
        var user = new OtherUser();
        (int code, string said) = await user.TryAsync("id -u && exec 9<>/dev/udp/127.0.0.1/9");
        if (code == 0 && said == Number) return user;
        user.Dispose();
        Assert.Skip($"no other user here: {said}");
        return user;
    }

    /// <summary>Writes a file that the other user may read.</summary>
    public async Task<string> GiveAsync(string name, byte[] bytes)
    {
        string path = _folder.File(name);
        await File.WriteAllBytesAsync(path, bytes);
        return path;
    }

    /// <summary>Makes a folder of the other user's own.</summary>
    public async Task<string> OwnFolderAsync()
    {
        string path = _folder.File("own");
        Directory.CreateDirectory(path);
        await using ChildProcess owner = ChildProcess.Start("owner", ["chown", Number, path]);
        Assert.Equal(0, await owner.Exit.WaitAsync(Patience));
        return path;
    }

    /// <summary>Runs a script as the other user.</summary>
    /// <returns>How it ended, and the last lines it wrote.</returns>
    public Task<(int Code, string Said)> TryAsync(string script) => RunAsync([.. As, "bash", "-c", script]);

    /// <summary>Runs the same script as this user, to show that it does what it is meant to.</summary>
    public static Task<(int Code, string Said)> TryAsSelfAsync(string script) => RunAsync(["bash", "-c", script]);

    /// <summary>The command that runs another as the other user.</summary>
    public static IReadOnlyList<string> As => ["setpriv", "--reuid", Number, "--regid", Number, "--clear-groups"];

    /// <inheritdoc/>
    public void Dispose() => _folder.Dispose();

    private static async Task<(int Code, string Said)> RunAsync(IReadOnlyList<string> command)
    {
        await using ChildProcess shell = ChildProcess.Start("shell", command);
        int code = await shell.Exit.WaitAsync(Patience);
        return (code, shell.LastLines);
    }
}
