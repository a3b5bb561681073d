using Microsoft.CodeAnalysis;

namespace QuickSilver.Analyzers;

/// <summary>The rules, as docs/analyzers.md explains them.</summary>
internal static class Rules
{
    private const string Category = "QuickSilver";
    private const string Page = "docs/analyzers.md#";

    public static readonly DiagnosticDescriptor BlockingCall = new(
        "QS0001", "A call blocks the core thread",
        "'{0}' blocks, and {1} runs on the core thread of the node: read in a loop instead, or hand the work over",
        Category, DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "Inline handlers and feeds run on the core thread: while one blocks, the node does nothing else.",
        Page + "qs0001", WellKnownDiagnosticTags.CompilationEnd);

    public static readonly DiagnosticDescriptor NeverDisposed = new(
        "QS0002", "Nothing disposes of a handle",
        "Nothing disposes of '{0}' ({1}): declare it with 'await using' or 'using', or keep it where its owner does",
        Category, DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "A node keeps its thread and sockets, a group its membership, a lease its memory, until it is disposed of.",
        Page + "qs0002");

    public static readonly DiagnosticDescriptor NotAwaited = new(
        "QS0003", "Nobody awaits a start or join",
        "Nobody awaits '{0}': its failure goes unseen, and what follows runs before it has ended",
        Category, DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "A join has taken effect when its task has ended. Only then does the group miss nothing.",
        Page + "qs0003");

    public static readonly DiagnosticDescriptor AsyncVoidHandler = new(
        "QS0004", "A handler is async void",
        "An async lambda for '{0}' is async void: the caller does not wait, and an exception ends the process",
        Category, DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "The caller of a handler that returns nothing goes on at its first await.",
        Page + "qs0004");
}
