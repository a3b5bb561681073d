using QuickSilver.Bench.Processes;
using QuickSilver.Security;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Security;

/// <summary>Keys as text and in files: what is taken, and what is refused with a reason.</summary>
public sealed class KeyFileTests : IDisposable
{
    private const UnixFileMode OwnFolder =
        UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    private readonly TestFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_key_is_32_bytes_as_base64_or_hexadecimal_text()
    {
        byte[] key = [.. Enumerable.Range(1, 32).Select(static one => (byte)(one * 7))];
        Assert.Equal(key, PreSharedKey.FromBase64(Convert.ToBase64String(key) + "\n").Bytes.ToArray());
        Assert.Equal(key, PreSharedKey.FromBase64(Convert.ToHexString(key)).Bytes.ToArray());
        Assert.Equal(key, PreSharedKey.FromBase64(Convert.ToHexStringLower(key)).Bytes.ToArray());
    }

    [Theory]
    [InlineData("", "is not 32 bytes")]
    [InlineData("correct horse battery staple", "is not 32 bytes")]
    [InlineData("c2hvcnQ=", "has 5 bytes")]
    [InlineData("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "is not random")]
    public void Other_texts_are_refused_and_not_repeated(string text, string reason)
    {
        ArgumentException refusal = Assert.Throws<ArgumentException>(() => PreSharedKey.FromBase64(text));
        Assert.Contains(reason, refusal.Message, StringComparison.Ordinal);
        if (text.Length > 0) Assert.DoesNotContain(text, refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_key_of_100_bytes_is_told_by_its_length()
    {
        string text = Convert.ToBase64String(new byte[100]);
        ArgumentException refusal = Assert.Throws<ArgumentException>(() => PreSharedKey.FromBase64(text));
        Assert.Contains("has 100 bytes", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Each_line_of_a_file_is_a_key()
    {
        string path = TestKeys.WriteFile(
            _folder.Path, "keys", $"# the next one\n{TestKeys.NewText()}\n\n  {TestKeys.NewText()}\r\n");
        Assert.Null(KeyFile.TryRead(path, FileTrust.Shared, out IReadOnlyList<byte[]> keys));
        Assert.Equal(2, keys.Count);
    }

    [Fact]
    public void A_made_file_has_a_key_and_is_not_made_twice()
    {
        string path = _folder.File("made");
        PreSharedKey.CreateFile(path);
        Assert.Null(KeyFile.TryRead(path, FileTrust.Shared, out IReadOnlyList<byte[]> keys));
        Assert.Single(keys);
        Assert.Throws<IOException>(() => PreSharedKey.CreateFile(path));
        Assert.Equal(["made"], Directory.EnumerateFiles(_folder.Path).Select(Path.GetFileName));
    }

    [Fact]
    public void A_file_that_others_may_read_is_refused_with_the_remedy()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "files have no modes on Windows");
        string path = TestKeys.WriteFile(_folder.Path, "open", TestKeys.NewText());
        foreach (UnixFileMode more in (UnixFileMode[])[UnixFileMode.OtherRead, UnixFileMode.OtherWrite,
            UnixFileMode.GroupWrite])
        {
            SetMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | more);
            string? fault = KeyFile.TryRead(path, FileTrust.Shared, out _);
            Assert.Contains("chmod 600", fault, StringComparison.Ordinal);
            Assert.Contains(path, fault, StringComparison.Ordinal);
        }
        // A mounted secret belongs to root, and to the group of the process.
        SetMode(path, UnixFileMode.UserRead | UnixFileMode.GroupRead);
        Assert.Null(KeyFile.TryRead(path, FileTrust.Shared, out _));
    }

    [Fact]
    public void Missing_empty_and_broken_files_are_named()
    {
        foreach (string path in (string[])[_folder.File("none"), _folder.Path])
            Assert.Contains(
                "cannot be read", KeyFile.TryRead(path, FileTrust.Shared, out _), StringComparison.Ordinal);
        string empty = TestKeys.WriteFile(_folder.Path, "empty", "# nothing\n");
        Assert.Contains("has no key", KeyFile.TryRead(empty, FileTrust.Shared, out _), StringComparison.Ordinal);
        string broken = TestKeys.WriteFile(_folder.Path, "broken", $"{TestKeys.NewText()}\nsecret words\n");
        string? fault = KeyFile.TryRead(broken, FileTrust.Shared, out _);
        Assert.Contains("line 2 is not 32 bytes", fault, StringComparison.Ordinal);
        Assert.DoesNotContain("secret words", fault, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_pipe_in_the_place_of_a_key_is_refused_and_nobody_waits_for_it()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "there are no named pipes in folders on Windows");
        string path = _folder.File("quicksilver/loopback.key");
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        SetMode(Path.GetDirectoryName(path)!, OwnFolder);
        await MakePipeAsync(path);
        Task<string?> found = Task.Run(() => LoopbackKey.TryFind([_folder.Path], out _));
        Task<string?> read = Task.Run(() => KeyFile.TryRead(path, FileTrust.Shared, out _));
        Task<string> stamped = Task.Run(() => FileStamp.Of(path));
        Assert.Contains("it is not a file", await found.WaitAsync(NodeRig.Patience), StringComparison.Ordinal);
        Assert.Contains("it is not a file", await read.WaitAsync(NodeRig.Patience), StringComparison.Ordinal);
        Assert.NotEqual("", await stamped.WaitAsync(NodeRig.Patience));
    }

    [Fact]
    public void A_folder_in_which_others_may_replace_files_is_refused()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "folders have no modes on Windows");
        Assert.Null(LoopbackKey.TryFind([_folder.Path], out string path));
        string folder = Path.GetDirectoryName(path)!;
        SetMode(folder, OwnFolder | UnixFileMode.GroupWrite);
        Assert.Contains("chmod go-w", LoopbackKey.TryFind([_folder.Path], out _), StringComparison.Ordinal);
        Assert.Null(KeyFile.TryRead(path, FileTrust.Shared, out _));
        SetMode(folder, OwnFolder | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute);
        Assert.Contains(
            "chmod go-w", KeyFile.TryRead(path, FileTrust.Shared, out _), StringComparison.Ordinal);
        // As /tmp is: only the owner of a file may replace it.
        SetMode(folder, OwnFolder | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute | UnixFileMode.StickyBit);
        Assert.Null(KeyFile.TryRead(path, FileTrust.Shared, out _));
    }

    [Fact]
    public void The_own_key_is_judged_again_whenever_it_is_read()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "files have no modes on Windows");
        Assert.Null(LoopbackKey.TryFind([_folder.Path], out string path));
        List<string> faults = [];
        AcceptedKeys keys = AcceptedKeys.TryRead([PreSharedKey.OfUser(path)], faults.Add, out _)!;
        ulong first = Assert.Single(keys.Current).Id;
        string planted = TestKeys.WriteFile(_folder.Path, "planted", TestKeys.NewText());
        File.Delete(path);
        File.CreateSymbolicLink(path, planted);
        Assert.Equal(first, Assert.Single(keys.Current).Id);
        Assert.Contains("is a link", Assert.Single(faults), StringComparison.Ordinal);
        File.Delete(path);
        File.Copy(planted, path);
        SetMode(path, UnixFileMode.UserRead | UnixFileMode.GroupRead);
        Assert.Equal(first, Assert.Single(keys.Current).Id);
        Assert.Contains("open to other users", faults[1], StringComparison.Ordinal);
    }

    [Fact]
    public void A_file_of_the_same_length_and_time_is_another_file()
    {
        string path = TestKeys.WriteFile(_folder.Path, "keys", TestKeys.NewText());
        DateTime time = File.GetLastWriteTimeUtc(path);
        AcceptedKeys keys = AcceptedKeys.TryRead([PreSharedKey.FromFile(path)], null, out _)!;
        ulong first = Assert.Single(keys.Current).Id;
        TestKeys.WriteFile(_folder.Path, "keys", TestKeys.NewText());
        File.SetLastWriteTimeUtc(path, time);
        Assert.NotEqual(first, Assert.Single(keys.Current).Id);
    }

    [Fact]
    public void After_a_refusal_the_file_is_read_whatever_its_stamp_says()
    {
        string text = TestKeys.NewText();
        string path = TestKeys.WriteFile(_folder.Path, "keys", text);
        AcceptedKeys keys = AcceptedKeys.TryRead([PreSharedKey.FromFile(path)], null, out _)!;
        IReadOnlyList<SecurityKey> before = keys.Current;
        Assert.Same(before, keys.Current);
        keys.OnRefused();
        Assert.NotSame(before, keys.Current);
        Assert.Equal(before[0].Id, keys.Current[0].Id);
    }

    [Fact]
    public async Task Processes_that_start_together_get_one_loopback_key()
    {
        for (int round = 0; round < 50; round++)
        {
            string place = _folder.File($"round-{round}");
            string[] paths = await Task.WhenAll(Enumerable.Range(0, 16).Select(_ => Task.Run(() =>
            {
                Assert.Null(LoopbackKey.TryFind([place], out string path));
                Assert.Null(KeyFile.TryRead(path, FileTrust.Shared, out IReadOnlyList<byte[]> keys));
                return path + Convert.ToHexString(Assert.Single(keys));
            })));
            Assert.Single(paths.Distinct());
        }
    }

    [Fact]
    public void Of_several_who_write_one_key_file_at_once_one_succeeds()
    {
        for (int round = 0; round < 200; round++)
        {
            string path = _folder.File($"round-{round}.key");
            int written = 0;
            using var start = new Barrier(4);
            Thread[] writers = [.. Enumerable.Range(0, 4).Select(number => new Thread(() =>
            {
                start.SignalAndWait();
                try
                {
                    KeyFile.Write(path, [.. Enumerable.Repeat((byte)number, KeyText.KeyBytes)]);
                    Interlocked.Increment(ref written);
                }
                catch (IOException)
                {
                    // Another was first.
                }
            }))];
            foreach (Thread writer in writers) writer.Start();
            foreach (Thread writer in writers) writer.Join();
            Assert.Equal(1, written);
        }
    }

    [Fact]
    public void A_loopback_key_that_others_made_or_may_read_is_refused()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "files have no modes on Windows");
        Assert.Null(LoopbackKey.TryFind([_folder.Path], out string path));
        if (!OperatingSystem.IsWindows())
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
        SetMode(path, UnixFileMode.UserRead | UnixFileMode.GroupRead);
        Assert.Contains("open to other users", LoopbackKey.TryFind([_folder.Path], out _), StringComparison.Ordinal);
        File.Delete(path);
        string planted = TestKeys.WriteFile(_folder.Path, "planted", TestKeys.NewText());
        File.CreateSymbolicLink(path, planted);
        Assert.Contains("is a link", LoopbackKey.TryFind([_folder.Path], out _), StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_folder_for_it_every_place_is_named()
    {
        string file = TestKeys.WriteFile(_folder.Path, "file", "");
        string? fault = LoopbackKey.TryFind([Path.Combine(file, "a"), Path.Combine(file, "b")], out _);
        Assert.Contains(Path.Combine(file, "a"), fault, StringComparison.Ordinal);
        Assert.Contains(Path.Combine(file, "b"), fault, StringComparison.Ordinal);
        Assert.Contains("HOME", LoopbackKey.TryFind([], out _), StringComparison.Ordinal);
    }

    private static async Task MakePipeAsync(string path)
    {
        await using ChildProcess maker = ChildProcess.Start("mkfifo", ["mkfifo", "-m", "600", path]);
        Assert.Equal(0, await maker.Exit.WaitAsync(NodeRig.Patience));
    }

    private static void SetMode(string path, UnixFileMode mode)
    {
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(path, mode);
    }
}
