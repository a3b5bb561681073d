using System.Reflection;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace QuickSilver.Simulation.Tests.Planted.Breaking;

/// <summary>
/// The source generators that <c>src/QuickSilver</c> needs: for native calls and for log messages. The project file
/// names their files.
/// </summary>
internal static class SourceGenerators
{
    private static readonly string[] Needed = ["LibraryImport", "Logging"];

    private static readonly Lazy<ISourceGenerator[]> All = new(Load);

    /// <summary>What a project needs; the protocol needs none.</summary>
    public static ISourceGenerator[] For(string project) => project == "QuickSilver" ? All.Value : [];

    private static ISourceGenerator[] Load()
    {
        var named = typeof(SourceGenerators).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>();
        IEnumerable<string> files = named.Single(attribute => attribute.Key == "SourceGenerators").Value!.Split('|')
            .Where(path => Path.GetFileName(path) is string name && Array.Exists(Needed, name.Contains));
        return [.. files.SelectMany(path => Reference(path).GetGenerators(LanguageNames.CSharp))];
    }

    private static AnalyzerFileReference Reference(string path) => new(path, new Loader());

    private sealed class Loader : IAnalyzerAssemblyLoader
    {
        public void AddDependencyLocation(string fullPath)
        {
            // A generator's neighbours are found beside it.
        }

        public Assembly LoadFromPath(string fullPath) => Assembly.LoadFrom(fullPath);
    }
}
