using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace QuickSilver.Analyzers;

/// <summary>QS0004: an async lambda, or a method that is async void, where QuickSilver takes a delegate that returns
/// nothing.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class AsyncHandlerAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Rules.AsyncVoidHandler];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterOperationAction(Check, OperationKind.DelegateCreation);
    }

    private static void Check(OperationAnalysisContext context)
    {
        var creation = (IDelegateCreationOperation)context.Operation;
        IMethodSymbol? method = creation.Target switch
        {
            IAnonymousFunctionOperation lambda => lambda.Symbol,
            IMethodReferenceOperation reference => reference.Method,
            _ => null,
        };
        if (method is not { IsAsync: true, ReturnsVoid: true }) return;
        IOperation at = creation;
        while (at.Parent is IConversionOperation or IParenthesizedOperation) at = at.Parent;
        ISymbol? taker = at.Parent switch
        {
            IArgumentOperation { Parent: IInvocationOperation call } => call.TargetMethod,
            IArgumentOperation { Parent: IObjectCreationOperation made } => made.Constructor,
            IEventAssignmentOperation { EventReference: IEventReferenceOperation subscribed } => subscribed.Event,
            ISimpleAssignmentOperation { Target: IPropertyReferenceOperation assigned } => assigned.Property,
            _ => null,
        };
        if (taker is null || !Symbols.IsOurs(taker)) return;
        bool isMade = taker is IMethodSymbol { MethodKind: MethodKind.Constructor };
        string name = isMade ? taker.ContainingType.Name : taker.Name;
        context.ReportDiagnostic(
            Diagnostic.Create(Rules.AsyncVoidHandler, creation.Syntax.GetLocation(), name));
    }
}
