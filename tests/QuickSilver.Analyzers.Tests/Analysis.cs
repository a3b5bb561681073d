using System.Collections.Immutable;
using System.Globalization;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace QuickSilver.Analyzers.Tests;

/// <summary>Compiles the body of a class, analyzes it, and says what was found and where.</summary>
internal static class Analysis
{
    private const string Head = """
        using System; using System.Buffers; using System.Collections.Generic; using System.Threading;
        using System.Threading.Tasks; using QuickSilver; using QuickSilver.Hosting; using QuickSilver.Testing;
        internal sealed class Sample
        {
            private readonly QuickSilverNode _node = null!;
        """;

    private static readonly ImmutableArray<MetadataReference> References =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Select(path => MetadataReference.CreateFromFile(path)),
    ];

    /// <summary>The rules that are broken, as "QS0001 text-at-the-place", in the order of the source.</summary>
    /// <param name="members">Members of a class that has a field <c>_node</c>.</param>
    public static async Task<string[]> FindAsync(string members)
    {
        SyntaxTree tree = CSharpSyntaxTree.ParseText(
            Head + members + "\n}", new CSharpParseOptions(LanguageVersion.Latest));
        var compilation = CSharpCompilation.Create(
            "sample", [tree], References,
            new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable));
        string[] errors = [.. compilation.GetDiagnostics().Where(one => one.Severity == DiagnosticSeverity.Error)
            .Select(one => one.ToString())];
        Assert.Empty(errors);
        DiagnosticAnalyzer[] analyzers =
        [
            new BlockingCallAnalyzer(), new DisposalAnalyzer(), new NotAwaitedAnalyzer(), new AsyncHandlerAnalyzer(),
            new DroppedSendAnalyzer(),
        ];
        CancellationToken stop = TestContext.Current.CancellationToken;
        ImmutableArray<Diagnostic> found =
            await compilation.WithAnalyzers([.. analyzers]).GetAnalyzerDiagnosticsAsync(stop);
        string text = (await tree.GetTextAsync(stop)).ToString();
        return [.. found.OrderBy(one => one.Location.SourceSpan.Start).Select(one => string.Create(
            CultureInfo.InvariantCulture,
            $"{one.Id} {text.AsSpan(one.Location.SourceSpan.Start, one.Location.SourceSpan.Length)}"))];
    }
}
