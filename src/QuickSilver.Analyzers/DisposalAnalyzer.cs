using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace QuickSilver.Analyzers;

/// <summary>
/// QS0002: a local variable holds a new node, group, publisher, inbox or lease, nothing disposes of it, and nobody else
/// gets it. Groups, publishers and inboxes end with their node. So they count only where the node is a field or
/// property of the same object, which outlives the method. A variable that is passed on, returned, kept or captured has
/// another owner.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class DisposalAnalyzer : DiagnosticAnalyzer
{
    private static readonly string[] Nodes = ["QuickSilverNode", "TestCluster"];
    private static readonly string[] Handles = ["Group", "GroupPublisher", "Inbox", "RequestGroup"];
    private static readonly string[] Ends =
        ["Dispose", "DisposeAsync", "LeaveAsync", "CloseAsync"];

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Rules.NeverDisposed];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterOperationBlockAction(Check);
    }

    private static void Check(OperationBlockAnalysisContext context)
    {
        var held = new Dictionary<ISymbol, IVariableDeclaratorOperation>(SymbolEqualityComparer.Default);
        foreach (IVariableDeclaratorOperation declarator in All<IVariableDeclaratorOperation>(context))
        {
            if (IsNew(declarator) && !IsUsing(declarator)) held[declarator.Symbol] = declarator;
        }
        foreach (IForEachLoopOperation loop in All<IForEachLoopOperation>(context))
        {
            if (loop.LoopControlVariable is IVariableDeclaratorOperation lease
                && Symbols.IsOurs(lease.Symbol.Type, "MessageLease"))
            {
                held[lease.Symbol] = lease;
            }
        }
        if (held.Count == 0) return;
        foreach (ILocalReferenceOperation use in All<ILocalReferenceOperation>(context))
        {
            if (held.ContainsKey(use.Local) && !IsHarmless(use)) held.Remove(use.Local);
        }
        foreach (IVariableDeclaratorOperation declarator in held.Values)
        {
            context.ReportDiagnostic(Diagnostic.Create(
                Rules.NeverDisposed, declarator.Symbol.Locations[0], declarator.Symbol.Name,
                declarator.Symbol.Type.Name));
        }
    }

    private static IEnumerable<T> All<T>(OperationBlockAnalysisContext context)
        where T : IOperation => context.OperationBlocks.SelectMany(block => block.Descendants()).OfType<T>();

    private static bool IsNew(IVariableDeclaratorOperation declarator)
    {
        if (declarator.GetVariableInitializer()?.Value is not { } value
            || Symbols.CallOf(value) is not { TargetMethod: { } method } call || !Symbols.IsOurs(method))
        {
            return false;
        }
        // Others, such as the node of a host, or one that a cluster of tests starts, have an owner.
        if (Symbols.IsOurs(declarator.Symbol.Type, Nodes))
            return method is { IsStatic: true, Name: "StartAsync" } && Symbols.IsOurs(method.ContainingType, Nodes);
        if (!Symbols.IsOurs(declarator.Symbol.Type, Handles)) return false;
        // An extension method has the node as its first argument.
        IOperation? node = call.Instance
            ?? (method.IsExtensionMethod && call.Arguments.Length > 0 ? call.Arguments[0].Value : null);
        return node is not null && Symbols.IsOurs(Symbols.Bare(node).Type, "QuickSilverNode")
            && Symbols.Bare(node) is IMemberReferenceOperation { Instance: IInstanceReferenceOperation };
    }

    private static bool IsUsing(IVariableDeclaratorOperation declarator)
    {
        for (IOperation? at = declarator.Parent; at is not null; at = at.Parent)
        {
            if (at is IUsingDeclarationOperation or IUsingOperation) return true;
            if (at is IBlockOperation) return false;
        }
        return false;
    }

    // A member of the variable itself is called or read, other than one that ends it.
    private static bool IsHarmless(ILocalReferenceOperation use)
    {
        for (IOperation? at = use.Parent; at is not null; at = at.Parent)
            if (at is IAnonymousFunctionOperation or ILocalFunctionOperation) return false;
        return use.Parent switch
        {
            IInvocationOperation call => ReferenceEquals(call.Instance, use)
                && !Ends.Contains(call.TargetMethod.Name),
            IPropertyReferenceOperation or IEventReferenceOperation => true,
            // An extension method, such as GetString or SendAsync of a text: its receiver is an argument.
            IArgumentOperation { Parent: IInvocationOperation { TargetMethod.IsExtensionMethod: true } call } given =>
                ReferenceEquals(call.Arguments[0], given) && Reads(call.TargetMethod),
            // The same, where the receiver is of a base of its parameter's type.
            IConversionOperation { IsImplicit: true } conversion => conversion.Parent is IArgumentOperation
            {
                Parent: IInvocationOperation { TargetMethod.IsExtensionMethod: true } call,
            } given && ReferenceEquals(call.Arguments[0], given) && Reads(call.TargetMethod),
            _ => false,
        };
    }

    // A method that returns another handle, such as As, gives the variable another owner.
    private static bool Reads(IMethodSymbol method) =>
        Symbols.IsOurs(method) && !Ends.Contains(method.Name) && !Symbols.IsOurs(method.ReturnType, Handles);
}
