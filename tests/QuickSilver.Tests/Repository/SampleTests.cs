namespace QuickSilver.Tests.Repository;

/// <summary>Samples are there to be read: each is short, and says at its top how to run it.</summary>
public sealed class SampleTests
{
    private const int MostLines = 120;
    private const int MostLinesOfSmallOnes = 70;
    private const int MostLinesOfQuickStart = 160;

    private static readonly string[] Small =
    [
        "Dashboard", "Feed", "FileSend", "LatestByKey", "ManyGroups", "OrderedAccounts", "TwoMachines", "Worker",
        "World",
    ];

    [Fact]
    public void Every_sample_is_short_and_says_how_to_run_it()
    {
        string[] folders = [.. Directory.GetDirectories(SourceTree.PathOf("samples"))];
        Assert.True(folders.Length >= 7, "samples are missing");
        foreach (string folder in folders)
        {
            string name = Path.GetFileName(folder);
            string[] files = Directory.GetFiles(folder, "*.cs");
            Assert.True(files.Length == 1, $"{name} has {files.Length} files");
            string[] program = File.ReadAllLines(Path.Combine(folder, "Program.cs"));
            Assert.StartsWith($"// {name}: ", program[0], StringComparison.Ordinal);
            string command = $"dotnet run -c Release --project samples/{name}";
            Assert.Contains(program, line => line.Contains(command, StringComparison.Ordinal));
            int most = name == "QuickStart"
                ? MostLinesOfQuickStart : Small.Contains(name) ? MostLinesOfSmallOnes : MostLines;
            int lines = files.Sum(static file => File.ReadAllLines(file).Length);
            Assert.True(lines <= most, $"{name} has {lines} lines, {most} are allowed");
        }
    }

    [Fact]
    public void Every_sample_is_run_by_a_test()
    {
        string[] files = [
            "tests/QuickSilver.Tests/Processes/SampleProgramTests.cs",
            "tests/QuickSilver.Hosting.Tests/WebFeedTests.cs",
            "tests/QuickSilver.Dashboard.Tests/Browsers/ClusterPageTests.cs",
        ];
        string tests = string.Concat(files.Select(static file => File.ReadAllText(SourceTree.PathOf(file))));
        Assert.All(
            Directory.GetDirectories(SourceTree.PathOf("samples")),
            folder => Assert.Contains($"\"{Path.GetFileName(folder)}\"", tests, StringComparison.Ordinal));
    }
}
