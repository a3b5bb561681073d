namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>What protocol code must not touch, since it is handed the time, its randomness and its datagrams, and runs
/// on one thread.</summary>
internal static class PurityRules
{
    private static readonly string[] Namespaces =
    [
        "System.Net", "System.Threading", "System.Timers", "System.IO.Pipelines", "System.IO.Pipes",
        "System.IO.MemoryMappedFiles",
        "System.Diagnostics.Tracing", "System.Diagnostics.Metrics",
    ];

    private static readonly string[] Types =
    [
        "System.DateTime", "System.DateTimeOffset", "System.TimeProvider", "System.Diagnostics.Stopwatch",
        "System.Diagnostics.Process",
        "System.Environment", "System.Random", "System.HashCode", "System.Security.Cryptography.RandomNumberGenerator",
        "System.Console", "System.IO.File", "System.IO.FileStream", "System.IO.Directory", "System.AppDomain",
        "System.AppContext",
        "System.Runtime.CompilerServices.IAsyncStateMachine",
    ];

    // A string's hash differs by process; the compiler emits the call on Object, so that is what is named here.
    private static readonly (string Type, string Member)[] Members =
    [
        ("System.Guid", "NewGuid"), ("System.String", "GetHashCode"), ("System.Object", "GetHashCode"),
        ("System.GC", "Collect"),
    ];

    // The order in which a hash table yields its entries depends on its history and, for strings, on the process.
    private static readonly string[] HashTables =
    [
        "System.Collections.Generic.Dictionary`2", "System.Collections.Generic.HashSet`1",
        "System.Collections.Hashtable",
        "System.Collections.Frozen.FrozenDictionary`2", "System.Collections.Frozen.FrozenSet`1",
    ];

    private static readonly string[] Enumerations = ["GetEnumerator", "get_Keys", "get_Values", "CopyTo", "ToArray"];

    public static bool Forbids(TypeUse use) =>
        Array.Exists(Namespaces, space => use.Used.StartsWith(space + ".", StringComparison.Ordinal))
        || Array.Exists(Types, type => use.Used == type)
        || Array.Exists(Members, member => use.Used == member.Type && use.Member == member.Member);

    public static bool EnumeratesAHashTable(TypeUse use) =>
        HashTables.Contains(use.Used) && Enumerations.Contains(use.Member);
}
