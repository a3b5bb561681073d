using System.Text.Json;

namespace QuickSilver.Cli.Tests.Commands;

public sealed class KeyTests
{
    [Fact]
    public async Task A_key_is_made_shown_and_compared()
    {
        using var folder = new TestFolder();
        (string one, string other) = (folder["one"], folder["other"]);
        Assert.Equal(0, (await ToolRun.RunAsync("key", "new", one)).Code);
        Assert.Equal(0, (await ToolRun.RunAsync("key", "new", other)).Code);
        if (!OperatingSystem.IsWindows())
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(one));

        (int code, IReadOnlyList<string> lines, _) = await ToolRun.RunAsync("key", "show", one, "--json");
        Assert.Equal(0, code);
        JsonElement shown = ToolRun.Parse(Assert.Single(lines));
        string print = shown.GetProperty("fingerprints")[0].GetString()!;
        string secret = (await File.ReadAllTextAsync(one)).Trim();
        Assert.DoesNotContain(secret, lines[0], StringComparison.Ordinal);

        File.Copy(one, folder["copy"]);
        Assert.Equal(0, (await ToolRun.RunAsync("key", "check", one, folder["copy"], print)).Code);
        (code, lines, _) = await ToolRun.RunAsync("key", "check", one, other);
        Assert.Equal(4, code);
        Assert.Contains(lines, static line => line.Contains("differ", StringComparison.Ordinal));

        // While a key is replaced, both files have both keys in another order.
        string[] keys = [secret, (await File.ReadAllTextAsync(other)).Trim()];
        await File.WriteAllLinesAsync(one, keys);
        await File.WriteAllLinesAsync(other, keys.Reverse());
        Assert.Equal(0, (await ToolRun.RunAsync("key", "check", one, other)).Code);
    }

    [Fact]
    public async Task A_file_that_exists_is_not_replaced_and_one_that_is_no_key_is_refused()
    {
        using var folder = new TestFolder();
        string file = folder["key"];
        await File.WriteAllTextAsync(file, "password\n");
        if (!OperatingSystem.IsWindows()) File.SetUnixFileMode(file, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        Assert.Equal(2, (await ToolRun.RunAsync("key", "new", file)).Code);
        Assert.Equal("password\n", await File.ReadAllTextAsync(file));
        (int code, _, string all) = await ToolRun.RunAsync("key", "show", file);
        Assert.Equal(2, code);
        Assert.DoesNotContain("password", all, StringComparison.Ordinal);
    }
}
