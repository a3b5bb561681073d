using QuickSilver.Tests.Repository;

namespace QuickSilver.Simulation.Tests.Planted.Breaking;

/// <summary>The source files of <c>src</c>.</summary>
internal static class SourceFiles
{
    private static readonly Lazy<ILookup<string, string>> ByName = new(() => AllOf(".").ToLookup(Path.GetFileName)!);

    /// <summary>The paths of a project's files.</summary>
    /// <param name="project">The project's folder in <c>src</c>; a dot: all.</param>
    public static IEnumerable<string> AllOf(string project)
    {
        string root = SourceTree.PathOf("src");
        return Directory.EnumerateFiles(Path.Combine(root, project), "*.cs", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(root, path))
            .Where(path => path.Split(Path.DirectorySeparatorChar)[1] is not ("obj" or "bin"))
            .Order(StringComparer.Ordinal)
            .Select(path => Path.Combine(root, path));
    }

    /// <summary>The path of a file.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="defect">The defect's name, for the failure.</param>
    /// <exception cref="InvalidOperationException">None has the name, or several have.</exception>
    public static string Find(string name, string defect) => ByName.Value[name].ToArray() switch
    {
        [string path] => path,
        [] => throw new InvalidOperationException($"{defect}: there is no {name}"),
        _ => throw new InvalidOperationException($"{defect}: there are several {name}"),
    };

    /// <summary>The project that a file belongs to.</summary>
    public static string ProjectOf(string path) =>
        Path.GetRelativePath(SourceTree.PathOf("src"), path).Split(Path.DirectorySeparatorChar)[0];
}
