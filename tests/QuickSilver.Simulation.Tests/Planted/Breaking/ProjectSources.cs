using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace QuickSilver.Simulation.Tests.Planted.Breaking;

/// <summary>
/// The sources of one project of <c>src</c>, parsed once, from which broken copies of its assembly are compiled in
/// memory.
/// <para>
/// Language, unsafe code, implicit usings and source generators are as the project files have them. Version and friends
/// are read from the assembly that the tests run on. Warnings are left out, and with them the analysis of nulls. No
/// debug build is made, so the code's assertions stay silent.
/// </para>
/// Cost: half a second to parse, once; a second to compile. Any thread.
/// </summary>
internal sealed class ProjectSources
{
    private const string ImplicitUsings =
        """
        global using System;
        global using System.Collections.Generic;
        global using System.IO;
        global using System.Linq;
        global using System.Net.Http;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    private static readonly CSharpParseOptions Language = new(
        LanguageVersion.CSharp14,
        DocumentationMode.None,
        preprocessorSymbols: ["TRACE", "RELEASE", "NET", "NET10_0_OR_GREATER"]);

    private static readonly CSharpCompilationOptions Output = new(
        OutputKind.DynamicallyLinkedLibrary,
        optimizationLevel: OptimizationLevel.Release,
        allowUnsafe: true,
        warningLevel: 0);

    private static readonly ConcurrentDictionary<string, Lazy<ProjectSources>> All = new(StringComparer.Ordinal);

    private readonly CSharpCompilation _whole;
    private readonly Dictionary<string, SyntaxTree> _trees;

    private ProjectSources(string project)
    {
        Assembly built = Assembly.Load(project);
        _trees = SourceFiles.AllOf(project)
            .ToDictionary(path => path, path => Parse(File.ReadAllText(path), path), StringComparer.Ordinal);
        SyntaxTree[] beside = [Parse(ImplicitUsings, "Usings.cs"), Parse(Identity(built), "Identity.cs")];
        _whole = CSharpCompilation.Create(project, [.. _trees.Values, .. beside], References(built), Output);
    }

    /// <summary>The sources of a project, by its name.</summary>
    public static ProjectSources Of(string project) =>
        All.GetOrAdd(project, name => new(() => new ProjectSources(name))).Value;

    /// <summary>The assembly with changed sources.</summary>
    /// <param name="patches">What to change in files of this project.</param>
    /// <param name="defect">The defect's name, for the failure.</param>
    /// <exception cref="InvalidOperationException">A patch does not fit, or the outcome does not compile.</exception>
    public byte[] Compile(IEnumerable<SourcePatch> patches, string defect)
    {
        Compilation broken = _whole;
        foreach (IGrouping<string, SourcePatch> file in patches.GroupBy(patch => patch.File))
        {
            SyntaxTree tree = _trees[SourceFiles.Find(file.Key, defect)];
            string text = file.Aggregate(tree.ToString(), (before, patch) => patch.Apply(before, defect));
            broken = broken.ReplaceSyntaxTree(tree, Parse(text, tree.FilePath));
        }
        if (SourceGenerators.For(_whole.AssemblyName!) is { Length: > 0 } generators)
        {
            CSharpGeneratorDriver.Create(generators, parseOptions: Language)
                .RunGeneratorsAndUpdateCompilation(broken, out broken, out _);
        }
        using var image = new MemoryStream();
        var outcome = broken.Emit(image);
        if (outcome.Success) return image.ToArray();
        IEnumerable<Diagnostic> errors = outcome.Diagnostics.Where(found => found.Severity == DiagnosticSeverity.Error);
        throw new InvalidOperationException($"{defect} does not compile:\n{string.Join('\n', errors)}");
    }

    private static SyntaxTree Parse(string text, string name) =>
        CSharpSyntaxTree.ParseText(SourceText.From(text), Language, name);

    private static string Identity(Assembly built)
    {
        IEnumerable<string> friends = built.GetCustomAttributes<InternalsVisibleToAttribute>()
            .Select(friend => $"[assembly: {typeof(InternalsVisibleToAttribute)}(\"{friend.AssemblyName}\")]");
        string version = $"[assembly: {typeof(AssemblyVersionAttribute)}(\"{built.GetName().Version}\")]";
        return string.Join('\n', friends.Append(version));
    }

    // The platform's own assemblies, and what the built assembly names.
    private static IEnumerable<MetadataReference> References(Assembly built)
    {
        string platform = Path.GetDirectoryName(typeof(object).Assembly.Location)!;
        var named = built.GetReferencedAssemblies().Select(name => name.Name).ToHashSet(StringComparer.Ordinal);
        return ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => Path.GetDirectoryName(path) == platform || named.Contains(NameOf(path)))
            .Select(path => MetadataReference.CreateFromFile(path));
    }

    private static string NameOf(string path) => Path.GetFileNameWithoutExtension(path);
}
