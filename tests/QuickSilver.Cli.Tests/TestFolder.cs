namespace QuickSilver.Cli.Tests;

/// <summary>A folder of one test, which goes with it.</summary>
internal sealed class TestFolder : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("qs-cli-");

    /// <summary>The path of a file in it.</summary>
    public string this[string name] => Path.Combine(_folder.FullName, name);

    /// <inheritdoc/>
    public void Dispose() => _folder.Delete(recursive: true);
}
