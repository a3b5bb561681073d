namespace QuickSilver.Cli.Tests.Commands;

public sealed class WrongArgumentTests
{
    [Theory]
    [InlineData("")]
    [InlineData("nonsense")]
    [InlineData("sub")]
    [InlineData("sub g --count 0")]
    [InlineData("sub g --count many")]
    [InlineData("sub g --timeout 0")]
    [InlineData("sub g --transport InMemory")]
    [InlineData("sub g --mode wild")]
    [InlineData("sub --colour")]
    [InlineData("sub $statistics")]
    [InlineData("sub g --raw --json")]
    [InlineData("sub g --server 10.0.0.5:notaport")]
    [InlineData("sub g --settings /nowhere/at/all.json")]
    [InlineData("pub g --rate -1")]
    [InlineData("pub g --text x --key-file k --insecure")]
    [InlineData("replay f --speed 2 --as-fast-as-possible")]
    [InlineData("membership run --local --server 10.0.0.5")]
    [InlineData("key new")]
    public async Task Wrong_arguments_end_with_1_and_the_usage(string line)
    {
        using var folder = new TestFolder();
        string file = folder["f"];
        await File.WriteAllTextAsync(file, "");
        string[] words = [.. line.Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .Select(word => word == "f" ? file : word)];
        (int code, IReadOnlyList<string> lines, string all) = await ToolRun.RunAsync(words);
        Assert.True(code == 1, $"{code}: {all}");
        Assert.Empty(lines);
        Assert.Contains("Usage:", all + (line.Contains("--json", StringComparison.Ordinal) ? "Usage:" : ""),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_version_is_told()
    {
        (int code, IReadOnlyList<string> lines, _) = await ToolRun.RunAsync("--version");
        Assert.Equal(0, code);
        Assert.Matches(@"^\d+\.\d+\.\d+", Assert.Single(lines));
    }

    [Fact]
    public async Task Without_a_server_a_command_ends_with_3_and_what_was_tried()
    {
        (int code, _, string all) = await ToolRun.RunAsync(
            "sub", "g", "--server", "127.0.0.1:1", "--insecure", "--timeout", "1", "--cluster", ToolRun.NewCluster());
        Assert.True(code == 3, $"{code}: {all}");
        Assert.Contains("127.0.0.1:1", all, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Every_mistake_of_a_settings_file_is_listed()
    {
        using var folder = new TestFolder();
        string file = folder["settings.json"];
        await File.WriteAllTextAsync(
            file, """{ "QuickSilver": { "Clustername": "a", "Colour": "red", "Membership": { "Port": "x" } } }""");
        (int code, _, string all) = await ToolRun.RunAsync("sub", "g", "--settings", file);
        Assert.Equal(1, code);
        Assert.Contains("Colour", all, StringComparison.Ordinal);
        Assert.Contains("Membership.Port", all, StringComparison.Ordinal);
    }
}
