using System.CommandLine;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Scenarios.Arguments;

/// <summary>The option that says what protects QuickSilver.</summary>
internal static class SecurityOption
{
    /// <summary>Makes it.</summary>
    public static Option<RunSecurity[]> Make() => new("--security")
    {
        Description = "What protects QuickSilver: none, or key, which is made for the run; may be repeated, for a row "
            + "each.",
        DefaultValueFactory = _ => [RunSecurity.None],
    };

    /// <summary>Makes it for scenarios of which all nodes are protected alike.</summary>
    public static Option<RunSecurity> MakeSingle(RunSecurity defaults) => new("--security")
    {
        Description = "What protects the nodes: none, or key, which is made for the run.",
        DefaultValueFactory = _ => defaults,
    };
}
