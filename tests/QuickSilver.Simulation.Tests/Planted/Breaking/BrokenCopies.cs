using System.Reflection;
using System.Runtime.Loader;

namespace QuickSilver.Simulation.Tests.Planted.Breaking;

/// <summary>
/// Copies of the protocol, of the simulator and of these tests, with a defect in them, side by side with those that
/// have none.
/// <para>
/// Idea: assemblies that the defect changes are compiled. Those that stand on them are loaded once more, under the same
/// names, and so see the changed ones. <see cref="InsideCopies"/> is called in the copy of these tests: only types of
/// the platform go in and out.
/// </para>
/// Cost: a second, most of it the compiler's, and some ten megabytes that stay. Code that can be unloaded takes five
/// times as long to start.
/// </summary>
internal sealed class BrokenCopies : AssemblyLoadContext
{
    private static readonly Assembly[] Copied =
    [
        typeof(Protocol.Stack.NodeStack).Assembly, typeof(QuickSilverNode).Assembly,
        typeof(Testing.SimulatedCluster).Assembly, typeof(BrokenCopies).Assembly,
    ];

    private readonly Dictionary<string, byte[]> _images;

    private BrokenCopies(string defect, IEnumerable<string> projects, ILookup<string, SourcePatch> patches)
        : base(defect, isCollectible: false)
    {
        _images = projects.ToDictionary(
            project => project,
            project => ProjectSources.Of(project).Compile(patches[project], defect),
            StringComparer.Ordinal);
        Run = Inside<Func<string, int, string[]?>>(nameof(InsideCopies.Run));
        Generate = Inside<Func<ulong, string[]?>>(nameof(InsideCopies.Generate));
        Shrink = Inside<Func<string, int, TimeSpan, string[]>>(nameof(InsideCopies.Shrink));
        ShrinkGenerated = Inside<Func<ulong, TimeSpan, string[]>>(nameof(InsideCopies.ShrinkGenerated));
    }

    /// <inheritdoc cref="InsideCopies.Run"/>
    public Func<string, int, string[]?> Run { get; }

    /// <inheritdoc cref="InsideCopies.Generate"/>
    public Func<ulong, string[]?> Generate { get; }

    /// <inheritdoc cref="InsideCopies.Shrink"/>
    public Func<string, int, TimeSpan, string[]> Shrink { get; }

    /// <inheritdoc cref="InsideCopies.ShrinkGenerated"/>
    public Func<ulong, TimeSpan, string[]> ShrinkGenerated { get; }

    /// <summary>Makes copies with a defect.</summary>
    public static BrokenCopies With(PlantedDefect defect)
    {
        ILookup<string, SourcePatch> patches =
            defect.Patches.ToLookup(patch => SourceFiles.ProjectOf(SourceFiles.Find(patch.File, defect.Name)));
        return new BrokenCopies(defect.Name, patches.Select(project => project.Key), patches);
    }

    /// <summary>Makes copies, compiled in the same way, that have no defect.</summary>
    public static BrokenCopies WithNothing() => new(
        "nothing", ["QuickSilver.Protocol", "QuickSilver"], Array.Empty<SourcePatch>().ToLookup(_ => string.Empty));

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName assemblyName)
    {
        if (_images.TryGetValue(assemblyName.Name!, out byte[]? image)) return LoadFromStream(new MemoryStream(image));
        Assembly? original = Array.Find(Copied, assembly => assembly.GetName().Name == assemblyName.Name);
        return original is null ? null : LoadFromAssemblyPath(original.Location);
    }

    private T Inside<T>(string method)
        where T : Delegate
    {
        Assembly tests = LoadFromAssemblyName(typeof(InsideCopies).Assembly.GetName());
        return tests.GetType(typeof(InsideCopies).FullName!)!.GetMethod(method)!.CreateDelegate<T>();
    }
}
