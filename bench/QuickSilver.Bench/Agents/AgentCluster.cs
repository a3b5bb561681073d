using System.Net.Sockets;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Agents;

/// <summary>The agents of some hosts, taken for runs one after the other. Disposing lets them go.</summary>
internal sealed class AgentCluster : IAsyncDisposable
{
    private readonly LocalAgents? _local;

    private AgentCluster(IReadOnlyList<AgentLink> agents, LocalAgents? local)
    {
        Agents = agents;
        _local = local;
    }

    /// <summary>In the order in which they were named.</summary>
    public IReadOnlyList<AgentLink> Agents { get; }

    /// <summary>What the hosts are, in a few words.</summary>
    public string Text => _local?.Text ?? $"{Agents.Count} hosts";

    /// <summary>Calls agents that run already.</summary>
    /// <param name="names">HOST:PORT each.</param>
    /// <param name="key">Theirs.</param>
    /// <param name="ct">Ends the attempt.</param>
    /// <param name="limits">How long they are waited for; null: as usual.</param>
    /// <exception cref="RunFailedException">One of them cannot be had; the others are let go.</exception>
    public static Task<AgentCluster> ConnectAsync(
        IReadOnlyList<string> names, AgentKey key, CancellationToken ct, AgentLimits? limits = null) =>
        ConnectAsync(names, key, limits, null, ct);

    /// <summary>
    /// Starts agents on this machine: as root on Linux each in a network namespace of its own, joined by a bridge, as
    /// separate hosts; else all on loopback.
    /// </summary>
    /// <param name="hosts">How many.</param>
    /// <param name="ct">Ends the attempt.</param>
    /// <param name="limits">How long they are waited for; null: as usual.</param>
    /// <exception cref="RunFailedException">They do not come up.</exception>
    public static async Task<AgentCluster> StartAsync(
        int hosts, CancellationToken ct, AgentLimits? limits = null)
    {
        LocalAgents local = await LocalAgents.StartAsync(hosts, ct);
        try
        {
            return await ConnectAsync(local.Names, local.Key, limits, local, ct);
        }
        catch
        {
            await local.DisposeAsync();
            throw;
        }
    }

    /// <summary>The place of one run.</summary>
    /// <param name="receivers">Of the run.</param>
    /// <param name="needsMulticast">Whether its processes do.</param>
    /// <param name="hosts">How many of the agents it has, from the first one on; 0: all.</param>
    /// <exception cref="RunFailedException">A host lacks what the run needs.</exception>
    public ILab LabFor(int receivers, bool needsMulticast, int hosts = 0)
    {
        IReadOnlyList<AgentLink> agents = hosts == 0 ? Agents : [.. Agents.Take(hosts)];
        if (needsMulticast && agents.FirstOrDefault(agent => !agent.Facts.HasMulticast) is { } deaf)
            throw new RunFailedException($"agent {deaf.Name}: its card {deaf.Facts.Card} has no multicast");
        return new AgentLab(agents, receivers);
    }

    /// <summary>The network namespace that is a host, of agents that this program has started in some.</summary>
    /// <exception cref="InvalidOperationException">It is no namespace.</exception>
    public string NamespaceOf(int agent) => _local?.NamespaceOf(agent)
        ?? throw new InvalidOperationException($"{Agents[agent].Name} is no namespace of this machine");

    /// <summary>What a host did in runs with so many receivers.</summary>
    public string DutiesOf(int agent, int receivers)
    {
        int others = Agents.Count - 1;
        int own = agent == 0 ? (others == 0 ? receivers : 0)
            : (receivers / others) + (agent - 1 < receivers % others ? 1 : 0);
        string[] parts = [.. agent == 0 ? (string[])["sender", "membership host"] : [],
            .. own > 0 ? (string[])[own == 1 ? "receiver" : $"{own} receivers"] : []];
        return parts.Length == 0 ? "nothing" : string.Join(", ", parts);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        foreach (AgentLink agent in Agents) await agent.DisposeAsync();
        if (_local is not null) await _local.DisposeAsync();
    }

    private static async Task<AgentCluster> ConnectAsync(
        IReadOnlyList<string> names, AgentKey key, AgentLimits? limits, LocalAgents? local, CancellationToken ct)
    {
        var agents = new List<AgentLink>();
        try
        {
            Func<Socket>? open = local is null ? null : local.OpenSocket;
            foreach (string name in names)
                agents.Add(await AgentLink.ConnectAsync(name, key, ct, limits, open));
            if (agents.FirstOrDefault(agent => agent.Facts.IsLoopback) is { } near
                && agents.Any(agent => !agent.Facts.IsLoopback))
            {
                throw new RunFailedException(
                    $"agent {near.Name}: its address {near.Facts.Address} is not one that other hosts reach");
            }
            return new AgentCluster(agents, local);
        }
        catch
        {
            foreach (AgentLink agent in agents) await agent.DisposeAsync();
            throw;
        }
    }
}
