using System.Collections.Concurrent;
using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace QuickSilver.Analyzers;

/// <summary>
/// QS0001: a call that blocks, in code that runs on the core thread: lambdas and methods given as inline handlers, and
/// methods of feeds and inline handlers of a host. Only their own bodies are looked at, not what they call.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class BlockingCallAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Rules.BlockingCall];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterCompilationStartAction(static start =>
        {
            var found = new Found();
            start.RegisterOperationAction(found.OnDelegate, OperationKind.DelegateCreation);
            start.RegisterOperationAction(found.OnCall, OperationKind.Invocation, OperationKind.PropertyReference);
            start.RegisterCompilationEndAction(found.Report);
        });
    }

    private static string? Blocks(IOperation operation)
    {
        if (operation is IPropertyReferenceOperation { Property: { Name: "Result" } property })
            return IsTask(property.ContainingType) ? "Result" : null;
        if (operation is not IInvocationOperation { TargetMethod: { } method }) return null;
        string type = method.ContainingType?.ToDisplayString() ?? "";
        bool isBlocking = method.Name switch
        {
            "Wait" => type.StartsWith("System.Threading.", System.StringComparison.Ordinal),
            "WaitAll" or "WaitAny" => IsTask(method.ContainingType) || type == "System.Threading.WaitHandle",
            "GetResult" => type.StartsWith("System.Runtime.CompilerServices.", System.StringComparison.Ordinal)
                && type.Contains("Awaiter"),
            "Sleep" => type == "System.Threading.Thread",
            "Join" => type == "System.Threading.Thread",
            "WaitOne" => IsOrDerives(method.ContainingType, "System.Threading.WaitHandle"),
            "SignalAndWait" => true,
            "ReadLine" or "ReadKey" => type == "System.Console",
            "WaitForExit" => type == "System.Diagnostics.Process",
            _ => false,
        };
        return isBlocking ? method.Name : null;
    }

    private static bool IsTask(ITypeSymbol? type) =>
        type is { Name: "Task" or "ValueTask" }
        && type.ContainingNamespace?.ToDisplayString() == "System.Threading.Tasks";

    private static bool IsOrDerives(ITypeSymbol? type, string name)
    {
        for (; type is not null; type = type.BaseType)
            if (type.ToDisplayString() == name) return true;
        return false;
    }

    private sealed class Found
    {
        private readonly ConcurrentDictionary<ISymbol, string> _inline = new(SymbolEqualityComparer.Default);
        private readonly ConcurrentQueue<(ISymbol Owner, Location At, string Name)> _calls = new();

        public void OnDelegate(OperationAnalysisContext context)
        {
            var creation = (IDelegateCreationOperation)context.Operation;
            if (!Symbols.IsOurs(creation.Type, "MessageHandler", "MessageBatchHandler")) return;
            if (creation.Target is IAnonymousFunctionOperation lambda) _inline[lambda.Symbol] = "this inline handler";
            else if (creation.Target is IMethodReferenceOperation method)
                _inline[method.Method] = $"'{method.Method.Name}'";
        }

        public void OnCall(OperationAnalysisContext context)
        {
            if (Blocks(context.Operation) is { } name)
                _calls.Enqueue((OwnerOf(context), context.Operation.Syntax.GetLocation(), name));
        }

        public void Report(CompilationAnalysisContext context)
        {
            foreach ((ISymbol owner, Location at, string name) in _calls)
            {
                string? place = _inline.TryGetValue(owner, out string? known) ? known
                    : owner is IMethodSymbol method && IsInline(method) ? $"'{method.Name}'" : null;
                if (place is not null)
                    context.ReportDiagnostic(Diagnostic.Create(Rules.BlockingCall, at, name, place));
            }
        }

        // The innermost lambda or method: one that is handed on from a handler runs elsewhere.
        private static ISymbol OwnerOf(OperationAnalysisContext context)
        {
            for (IOperation? at = context.Operation.Parent; at is not null; at = at.Parent)
            {
                if (at is IAnonymousFunctionOperation lambda) return lambda.Symbol;
                if (at is ILocalFunctionOperation local) return local.Symbol;
            }
            return context.ContainingSymbol;
        }

        private static bool IsInline(IMethodSymbol method)
        {
            if (method.ContainingType is not { } type) return false;
            foreach (INamedTypeSymbol contract in type.AllInterfaces)
            {
                if (!Symbols.IsOurs(contract, "IMessageFeed", "IInlineMessageHandler")) continue;
                foreach (ISymbol member in contract.GetMembers())
                {
                    ISymbol? own = type.FindImplementationForInterfaceMember(member);
                    if (SymbolEqualityComparer.Default.Equals(own, method)) return true;
                }
            }
            return false;
        }
    }
}
