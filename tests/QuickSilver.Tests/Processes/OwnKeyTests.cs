using QuickSilver.Bench.Processes;
using QuickSilver.TestPrograms;
using QuickSilver.Tests.Security;

namespace QuickSilver.Tests.Processes;

/// <summary>The key that processes of one user share without configuration.</summary>
[Collection(ProcessCollection.Name)]
public sealed class OwnKeyTests : IDisposable
{
    private const int Programs = 4;
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(90);

    private readonly TestFolder _state = new();
    private readonly string _port = ProgramCluster.Text(FreePort.Find());

    public void Dispose() => _state.Dispose();

    [Fact]
    public async Task Processes_that_start_at_once_without_a_key_make_one_and_meet()
    {
        string[] both =
        [
            "--port", _port, "--count", "50", "--members", ProgramCluster.Text(Programs),
            "--expect", ProgramCluster.Text(50 * (Programs - 1)), "--timeout", "80", "--quiet",
        ];
        List<ChildProcess> programs =
        [
            .. Enumerable.Range(0, Programs).Select(index => ProgramRun.Start(
                "publish", $"p{index}", [.. both, "--name", $"p{index}"], environment: State(_state.Path))),
        ];
        try
        {
            foreach (ChildProcess program in programs)
            {
                int code = await program.Exit.WaitAsync(Patience);
                Assert.True(code == ExitCodes.Success, $"{program.Name} ended with {code}: {program.LastLines}");
            }
        }
        finally
        {
            foreach (ChildProcess program in programs) await program.DisposeAsync();
        }
        string file = Assert.Single(Directory.GetFiles(Path.Combine(_state.Path, "quicksilver")));
        Assert.Equal("loopback.key", Path.GetFileName(file));
        if (!OperatingSystem.IsWindows())
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(file));
    }

    [Fact]
    public async Task A_user_without_a_place_for_a_key_is_told_every_place_and_the_remedy()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the folder of a Windows user cannot be taken away");
        // A file stands where a folder would have to be: not even root can write there.
        string file = _state.File("no folder");
        await File.WriteAllTextAsync(file, "", TestContext.Current.CancellationToken);
        await using ChildProcess program = ProgramRun.Start(
            "subscribe", "homeless", ["--port", _port, "--expect", "1", "--timeout", "30"], environment: State(file));
        Assert.NotEqual(ExitCodes.Success, await program.Exit.WaitAsync(Patience));
        Assert.Contains($"{file}/quicksilver/loopback.key", program.LastLines, StringComparison.Ordinal);
        Assert.Contains("Security.KeyFile", program.LastLines, StringComparison.Ordinal);
        Assert.Contains("XDG_STATE_HOME", program.LastLines, StringComparison.Ordinal);
        Assert.DoesNotContain("Unhandled", program.LastLines, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("no key at all")]
    public async Task A_damaged_key_of_the_user_is_named_with_the_remedy(string text)
    {
        string folder = Path.Combine(_state.Path, "quicksilver");
        Directory.CreateDirectory(folder);
        string key = Path.Combine(folder, "loopback.key");
        await File.WriteAllTextAsync(key, text, TestContext.Current.CancellationToken);
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(key, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        await using ChildProcess program = ProgramRun.Start(
            "subscribe", "damaged", ["--port", _port, "--expect", "1", "--timeout", "30"],
            environment: State(_state.Path));
        Assert.NotEqual(ExitCodes.Success, await program.Exit.WaitAsync(Patience));
        Assert.Contains($"Remove '{key}'", program.LastLines, StringComparison.Ordinal);
        Assert.DoesNotContain("Unhandled", program.LastLines, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Another_user_cannot_read_the_key()
    {
        Assert.SkipUnless(
            OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "it takes root to act as another user");
        await using QuickSilverNode _ = await StartAsync();
        string home = Environment.GetEnvironmentVariable("XDG_STATE_HOME")
            ?? Path.Combine(Environment.GetEnvironmentVariable("HOME")!, ".local", "state");
        string key = Path.Combine(home, "quicksilver", "loopback.key");
        Assert.SkipUnless(File.Exists(key), "the key is at another place");
        await using ChildProcess reader = ChildProcess.Start(
            "nobody", ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "cat", key]);
        Assert.NotEqual(0, await reader.Exit.WaitAsync(Patience));
        Assert.Contains("Permission denied", reader.LastLines, StringComparison.Ordinal);
    }

    private Task<QuickSilverNode> StartAsync()
    {
        var options = new QuickSilverOptions();
        options.Membership.Port = int.Parse(_port, System.Globalization.CultureInfo.InvariantCulture);
        return QuickSilverNode.StartAsync(options, TestContext.Current.CancellationToken);
    }

    // Of all places that are looked at, one is left.
    private static Dictionary<string, string> State(string folder) => new()
    {
        ["XDG_STATE_HOME"] = folder,
        ["STATE_DIRECTORY"] = "",
        ["XDG_RUNTIME_DIR"] = "",
    };
}
