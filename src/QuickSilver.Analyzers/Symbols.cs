using System;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace QuickSilver.Analyzers;

/// <summary>What is whose.</summary>
internal static class Symbols
{
    private static readonly string[] Libraries =
        ["QuickSilver", "QuickSilver.Typed", "QuickSilver.Hosting", "QuickSilver.Testing"];

    /// <summary>Whether a symbol belongs to QuickSilver's libraries.</summary>
    public static bool IsOurs(ISymbol? symbol)
    {
        INamespaceSymbol? space = symbol as INamespaceSymbol ?? symbol?.ContainingNamespace;
        while (space is { IsGlobalNamespace: false, ContainingNamespace.IsGlobalNamespace: false })
            space = space.ContainingNamespace;
        return space is { Name: "QuickSilver", ContainingNamespace.IsGlobalNamespace: true }
            && Array.IndexOf(Libraries, symbol!.ContainingAssembly?.Name) >= 0;
    }

    /// <summary>Whether a type is one of QuickSilver's with a name.</summary>
    public static bool IsOurs(ITypeSymbol? type, params string[] names) =>
        type is not null && Array.IndexOf(names, type.Name) >= 0 && IsOurs((ISymbol)type);

    /// <summary>The operation without the conversions and parentheses around it.</summary>
    public static IOperation Bare(IOperation operation)
    {
        while (true)
        {
            switch (operation)
            {
                case IConversionOperation conversion: operation = conversion.Operand; break;
                case IParenthesizedOperation inner: operation = inner.Operand; break;
                case IDelegateCreationOperation creation: operation = creation.Target; break;
                default: return operation;
            }
        }
    }

    /// <summary>The call behind an await, a ConfigureAwait, a Result and conversions; null: something else.</summary>
    public static IInvocationOperation? CallOf(IOperation operation)
    {
        operation = Bare(operation);
        if (operation is IAwaitOperation awaited) operation = Bare(awaited.Operation);
        if (operation is IPropertyReferenceOperation { Property.Name: "Result", Instance: { } task })
            return CallOf(task);
        if (operation is IInvocationOperation
            {
                TargetMethod.Name: "ConfigureAwait" or "WaitAsync" or "GetAwaiter" or "GetResult" or "AsTask",
            } wrapper
            && wrapper.Instance is { } instance)
        {
            return CallOf(instance);
        }
        return operation as IInvocationOperation;
    }
}
