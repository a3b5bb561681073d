using System.Globalization;
using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Runs;
using QuickSilver.Tests.Networks;
using static QuickSilver.Tests.Agents.HostProcesses;

namespace QuickSilver.Tests.Agents;

/// <summary>Runs over agents in namespaces as hosts, and what becomes of them when a process is killed.</summary>
[Trait("needs", "nodes")]
public sealed class AgentRunTests
{
    private const int Receivers = 2;

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_run_over_agents_delivers_everything_and_measures_latency_by_echo()
    {
        await using AgentCluster cluster = await StartAsync();
        RunReport run = (await Plan(cluster, seconds: 1).RunAsync([500], Ct)).Single();
        Assert.Empty(run.Failures);
        ProcessReport[] receivers = [.. RunOutcome.Receivers(run)];
        Assert.Equal(Receivers, receivers.Length);
        Assert.All(receivers, receiver => Assert.True(receiver.Latency is { Count: > 0, P50: > 0 }));
        Assert.True(run.WireBytes > 0);
    }

    [Fact]
    public async Task An_agent_that_is_killed_in_the_middle_ends_the_run_with_its_name()
    {
        await using AgentCluster cluster = await StartAsync();
        RunReport run = await RunAndAsync(cluster, () => Kill(AgentsOf(cluster.NamespaceOf(1))));
        Assert.Contains($"agent {cluster.Agents[1].Name}: ", run.Failures.Single(), StringComparison.Ordinal);
        await AwaitNoRolesAsync(cluster, [0, 1, 2]);
    }

    [Fact]
    public async Task A_role_that_is_killed_in_the_middle_ends_the_run_with_its_name_and_host()
    {
        await using AgentCluster cluster = await StartAsync();
        RunReport run = await RunAndAsync(cluster, () => Kill(RolesOf(cluster.NamespaceOf(1))));
        Assert.Contains(
            $"receiver-1 on {cluster.Agents[1].Name}: ended with", run.Failures.Single(), StringComparison.Ordinal);
        await AwaitNoRolesAsync(cluster, [0, 1, 2]);
    }

    [Fact]
    public async Task A_coordinator_that_is_killed_in_the_middle_leaves_no_process_and_no_namespace()
    {
        SkipWithoutNamespaces();
        await using var coordinator = ChildProcess.Start(
            "coordinator",
            ChildProcess.CommandOf(
                Path.Combine(AppContext.BaseDirectory, "QuickSilver.Scenarios.dll"),
                "throughput", "--hosts", "2", "--variant", "quicksilver", "--receivers", "1", "--warmup", "60"));
        string prefix = string.Create(CultureInfo.InvariantCulture, $"qs{coordinator.Id}x");
        string[] Own() => [.. Namespaces().Where(name => name.StartsWith(prefix, StringComparison.Ordinal))];
        await UntilAsync(() => Own().Sum(name => RolesOf(name).Count) >= 3, coordinator);
        int[] left = [.. Own().SelectMany(name => ProcessesOf(name))];
        Kill([coordinator.Id]);
        await UntilAsync(() => Own().Length == 0 && !left.Any(IsAlive), null);
    }

    private static async Task<AgentCluster> StartAsync()
    {
        SkipWithoutNamespaces();
        return await AgentCluster.StartAsync(Receivers + 1, Ct);
    }

    private static TrafficPlan Plan(AgentCluster cluster, double seconds) => new()
    {
        Variants = [Variant.QuickSilver],
        Receivers = Receivers,
        Groups = 1,
        Size = 100,
        WarmUpSeconds = 0.5,
        MeasuredSeconds = seconds,
        Repetitions = 1,
        RawGroup = "239.192.67.1",
        Agents = cluster,
    };

    // Long enough that nothing but the kill ends it in time.
    private static async Task<RunReport> RunAndAsync(AgentCluster cluster, Action kill)
    {
        Task<List<RunReport>> running = Plan(cluster, seconds: 600).RunAsync([500], Ct);
        await UntilAsync(() => Enumerable.Range(0, 3).Sum(host => RolesOf(cluster.NamespaceOf(host)).Count) == 4, null);
        kill();
        return (await running.WaitAsync(Patience, Ct)).Single();
    }

    private static Task AwaitNoRolesAsync(AgentCluster cluster, int[] hosts) =>
        UntilAsync(() => hosts.All(host => RolesOf(cluster.NamespaceOf(host)).Count == 0), null);
}
