namespace QuickSilver.Tests.Repository;

/// <summary>The sources that the tests were built from.</summary>
internal static class SourceTree
{
    /// <summary>The full path of a file or folder that is named from the root of the repository.</summary>
    public static string PathOf(string path)
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "QuickSilver.slnx")))
            folder = Path.GetDirectoryName(folder);
        return Path.Combine(folder ?? "", path);
    }
}
