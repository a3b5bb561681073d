using System;
using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace QuickSilver.Analyzers;

/// <summary>QS0005: a send in a loop whose task is dropped, by a statement or by a discard. Nothing then holds the loop
/// back, and the calls that wait pile up.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class DroppedSendAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Rules.DroppedSend];

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
        if (statement is ISimpleAssignmentOperation { Target: IDiscardOperation } discard)
            statement = Symbols.Bare(discard.Value);
        // A ConfigureAwait or an AsTask around it drops it all the same; a GetResult has waited.
        if (statement is not IInvocationOperation || !IsAwaitable(statement.Type)) return;
        if (Symbols.CallOf(statement) is not { TargetMethod: { } method } call || !Symbols.IsOurs(method)) return;
        if (method.Name.StartsWith("Send", StringComparison.Ordinal) && IsInLoop(context.Operation))
            context.ReportDiagnostic(Diagnostic.Create(Rules.DroppedSend, call.Syntax.GetLocation(), method.Name));
    }

    private static bool IsAwaitable(ITypeSymbol? type) =>
        type is { Name: "Task" or "ValueTask" or "ConfiguredTaskAwaitable" or "ConfiguredValueTaskAwaitable" };

    // A lambda or local function in the loop has its own calls.
    private static bool IsInLoop(IOperation operation)
    {
        for (IOperation? at = operation.Parent; at is not null; at = at.Parent)
        {
            if (at is ILoopOperation) return true;
            if (at is IAnonymousFunctionOperation or ILocalFunctionOperation) return false;
        }
        return false;
    }
}
