using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace QuickSilver.Analyzers;

/// <summary>QS0003: a start, join or opening whose task is dropped. A discard (<c>_ =</c>) says that this is
/// meant.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class NotAwaitedAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Rules.NotAwaited];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterOperationAction(Check, OperationKind.ExpressionStatement);
    }

    private static void Check(OperationAnalysisContext context)
    {
        IOperation statement = Symbols.Bare(((IExpressionStatementOperation)context.Operation).Operation);
        if (statement is not IInvocationOperation { TargetMethod: { } method } call || !Symbols.IsOurs(method)) return;
        bool isStart = method.Name.StartsWith("Join", System.StringComparison.Ordinal)
            || method.Name.StartsWith("Open", System.StringComparison.Ordinal)
            || method.Name.StartsWith("Start", System.StringComparison.Ordinal);
        if (isStart && method.ReturnType.Name is ("Task" or "ValueTask"))
            context.ReportDiagnostic(Diagnostic.Create(Rules.NotAwaited, call.Syntax.GetLocation(), method.Name));
    }
}
