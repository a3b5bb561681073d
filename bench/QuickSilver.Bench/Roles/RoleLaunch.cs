using QuickSilver.Bench.Agents;

namespace QuickSilver.Bench.Roles;

/// <summary>How a child process is started, where it is not simply this program again.</summary>
internal sealed record RoleLaunch
{
    /// <summary>Who starts it, on another host, as that agent's own program again; null: this program does.</summary>
    public AgentLink? Agent { get; init; }

    /// <summary>Words before the command, for example those that enter a network namespace.</summary>
    public IReadOnlyList<string> Prefix { get; init; } = [];

    /// <summary>Program and arguments of an adapter that talks as this program's roles do (see bench/peers/README.md);
    /// null: this program.</summary>
    public IReadOnlyList<string>? Command { get; init; }

    /// <summary>Added to this process's own.</summary>
    public IReadOnlyDictionary<string, string>? Environment { get; init; }
}
