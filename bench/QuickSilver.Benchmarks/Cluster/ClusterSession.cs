using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Rounds;

namespace QuickSilver.Benchmarks.Cluster;

/// <summary>
/// The hosts of all cluster benchmarks of this process, had when the first of them begins, and what each of their runs
/// came to. Disposing lets the hosts go. BenchmarkDotNet runs one benchmark at a time.
/// </summary>
/// <param name="ct">Ends what is under way.</param>
internal sealed class ClusterSession(CancellationToken ct) : IAsyncDisposable
{
    private readonly Dictionary<RoundPlan, ClusterFigures> _figures = [];
    private AgentCluster? _agents;

    /// <summary>Of this process.</summary>
    public static ClusterSession Current { get; set; } = null!;

    /// <summary>Why a run ended early; null: none did.</summary>
    public string? Failure { get; private set; }

    /// <summary>What a run came to; null: it has not ended.</summary>
    public ClusterFigures? FiguresOf(RoundPlan plan) => _figures.GetValueOrDefault(plan);

    /// <summary>Starts a run's processes, and has rounds sent until what runs is compiled.</summary>
    public Task<RoundCluster> StartAsync(RoundPlan plan) => NoteFailureAsync(async () =>
    {
        _agents ??= await ClusterArguments.Given.OpenAsync(ct);
        RoundCluster cluster = await RoundCluster.StartAsync(_agents, plan, ct);
        try
        {
            long start = Environment.TickCount64;
            do await cluster.RunRoundAsync(ct);
            while (Environment.TickCount64 - start < ClusterArguments.Given.Settling.TotalMilliseconds);
            await cluster.TakeFiguresAsync(ct);
            return cluster;
        }
        catch
        {
            await cluster.DisposeAsync();
            throw;
        }
    });

    /// <summary>Has a round sent.</summary>
    public Task RunRoundAsync(RoundCluster cluster) => NoteFailureAsync(async () =>
    {
        await cluster.RunRoundAsync(ct);
        return true;
    });

    /// <summary>Notes what a run came to.</summary>
    public Task EndAsync(RoundCluster cluster, RoundPlan plan, ClusterClock clock) => NoteFailureAsync(async () =>
    {
        _figures[plan] = new ClusterFigures(plan, clock, await cluster.TakeFiguresAsync(ct));
        return true;
    });

    /// <summary>Tells which hosts there were.</summary>
    public void PrintHosts(TextWriter output)
    {
        if (_agents is null) return;
        output.WriteLine($"{_agents.Text}; latency is half of a round trip, since clocks of hosts differ:");
        foreach (AgentLink agent in _agents.Agents)
        {
            HostFacts facts = agent.Facts;
            output.WriteLine(
                $"  {agent.Name}: {facts.Machine.Cores} processors, {facts.Machine.Processor}, {facts.Machine.System}, "
                + $"{facts.Card}, MTU {facts.Mtu}, receive buffers up to {facts.Machine.LargestReceiveBuffer ?? "?"}, "
                + $"offloads {facts.Offloads ?? "?"}");
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_agents is not null) await _agents.DisposeAsync();
    }

    private async Task<T> NoteFailureAsync<T>(Func<Task<T>> action)
    {
        try
        {
            return await action();
        }
        catch (Exception failure) when (failure is RunFailedException or OperationCanceledException)
        {
            Failure ??= failure.Message;
            throw;
        }
    }
}
