using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Scenarios.Arguments;

/// <summary>The options that put a scenario's processes on several hosts: agents that run there, or agents that the
/// scenario starts itself.</summary>
internal sealed class AgentOptions
{
    private readonly Option<string[]> _agents = new("--agents")
    {
        Description = "Agents of the hosts to run on, the sender's first: HOST:PORT,HOST:PORT,...",
        DefaultValueFactory = _ => [],
        HelpName = "HOST:PORT,...",
    };

    private readonly Option<FileInfo?> _key = new("--agent-key")
    { Description = "The file with the agents' key.", HelpName = "FILE" };

    private readonly Option<int> _hosts = new Option<int>("--hosts")
    {
        Description = "Start so many agents on this machine and run on them: as root on Linux in network namespaces "
            + "joined by a bridge, as separate hosts; else on loopback. 0: none.",
        DefaultValueFactory = _ => 0,
    }.AtLeast(0);

    private readonly Option<double> _answer = Seconds(
        "--agent-answer", "How long an agent may take to answer a call.", AgentLimits.Usual.Answer);

    private readonly Option<double> _silence = Seconds(
        "--agent-silence", "How long an agent may say nothing before it counts as gone.", AgentLimits.Usual.Silence);

    /// <summary>To add to a command.</summary>
    public IReadOnlyList<Option> All => [_agents, _key, _hosts, _answer, _silence];

    /// <summary>Whether there are any.</summary>
    public bool AreGiven(CommandResult result) =>
        NamesOf(result.ValueOrDefault(_agents)).Count > 0 || result.ValueOrDefault(_hosts) > 0;

    /// <summary>Refuses what cannot be.</summary>
    public void Validate(CommandResult result)
    {
        bool hasNames = NamesOf(result.ValueOrDefault(_agents)).Count > 0;
        if (hasNames && result.ValueOrDefault(_hosts) > 0) result.AddError("--agents and --hosts exclude each other.");
        if (!(result.ValueOrDefault(_answer) is > 0 and <= 3600)) result.AddError("--agent-answer is not 0 to 3600.");
        if (!(result.ValueOrDefault(_silence) is > 0 and <= 3600)) result.AddError("--agent-silence is not 0 to 3600.");
        if (hasNames && result.ValueOrDefault(_key) is null) result.AddError("--agents needs --agent-key.");
    }

    /// <summary>Calls or starts them.</summary>
    /// <returns>To be disposed; null when there are none.</returns>
    /// <exception cref="RunFailedException">One of them cannot be had.</exception>
    public async Task<AgentCluster?> OpenAsync(ParseResult parsed, CancellationToken ct)
    {
        IReadOnlyList<string> names = NamesOf(parsed.GetValue(_agents)!);
        var limits = AgentLimits.OfSeconds(parsed.GetValue(_answer), parsed.GetValue(_silence));
        if (names.Count > 0)
        {
            return await AgentCluster.ConnectAsync(
                names, AgentKey.Read(parsed.GetValue(_key)!.FullName), ct, limits);
        }
        return parsed.GetValue(_hosts) is > 0 and int hosts
            ? await AgentCluster.StartAsync(hosts, ct, limits) : null;
    }

    private static Option<double> Seconds(string name, string description, TimeSpan usual) => new(name)
    {
        Description = $"{description} In seconds.",
        DefaultValueFactory = _ => usual.TotalSeconds,
        HelpName = "S",
    };

    private static List<string> NamesOf(string[] given) =>
        [.. given.SelectMany(text => text.Split(
            ',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))];
}
