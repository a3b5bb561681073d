using System.Linq;
using System.Reflection;
using Microsoft.CodeAnalysis;

namespace QuickSilver.Analyzers;

/// <summary>The rules, as docs/analyzers.md explains them.</summary>
internal static class Rules
{
    private const string Category = "QuickSilver";
    private const string See = " The page docs/analyzers.md of QuickSilver's repository explains the rule.";

    // Absolute, or none: an editor has no page to which a path could be relative.
    private static readonly string? Repository = typeof(Rules).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .FirstOrDefault(static one => one.Key == "RulesRepository")?.Value;

    public static readonly DiagnosticDescriptor BlockingCall = new(
        "QS0001", "A call blocks the core thread",
        "'{0}' blocks, and {1} runs on the core thread of the node: read in a loop instead, or hand the work over",
        Category, DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "Inline handlers and feeds run on the core thread: while one blocks, the node does nothing else."
            + See,
        Link("QS0001"), WellKnownDiagnosticTags.CompilationEnd);

    public static readonly DiagnosticDescriptor NeverDisposed = new(
        "QS0002", "Nothing disposes of a handle",
        "Nothing disposes of '{0}' ({1}): declare it with 'await using' or 'using', or keep it where its owner does",
        Category, DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "A node keeps its thread and sockets, a group its membership, a lease its memory, until it is disposed of."
            + See,
        Link("QS0002"));

    public static readonly DiagnosticDescriptor NotAwaited = new(
        "QS0003", "Nobody awaits a start or join",
        "Nobody awaits '{0}': its failure goes unseen, and what follows runs before it has ended",
        Category, DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "A join has taken effect when its task has ended. Only then does the group miss nothing."
            + See,
        Link("QS0003"));

    public static readonly DiagnosticDescriptor AsyncVoidHandler = new(
        "QS0004", "A handler is async void",
        "An async lambda for '{0}' is async void: the caller does not wait, and an exception ends the process",
        Category, DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "The caller of a handler that returns nothing goes on at its first await."
            + See,
        Link("QS0004"));

    public static readonly DiagnosticDescriptor DroppedSend = new(
        "QS0005", "Nobody awaits the sends of a loop",
        "Nobody awaits '{0}' in this loop: calls pile up while receivers are slow, and failures go unseen",
        Category, DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "A send waits when too much is pending. A loop that does not await it holds a copy of every message."
            + See,
        Link("QS0005"));

    private static string? Link(string rule) =>
        Repository is { Length: > 0 } ? $"{Repository}/blob/main/docs/analyzers.md#{rule.ToLowerInvariant()}" : null;
}
