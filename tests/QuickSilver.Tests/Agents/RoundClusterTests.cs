using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Rounds;
using QuickSilver.Tests.Networks;

namespace QuickSilver.Tests.Agents;

/// <summary>Measurements in rounds over agents in namespaces as hosts, and what becomes of them when a process is
/// killed.</summary>
[Trait("needs", "nodes")]
public sealed class RoundClusterTests
{
    private const int Hosts = 3;
    private static readonly RoundPlan Plan = new(
        Hosts, Senders: 1, Groups: 1, Overlap: 1, Size: 100, Loss: 0, TransportKind.Auto, RunSecurity.Key,
        Messages: 3_000, Rate: 0);

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Rounds_end_when_every_receiver_has_what_is_sent_to_its_groups()
    {
        await using AgentCluster agents = await StartAsync();
        RoundPlan plan = Plan with { Groups = 10, Overlap = 0.5, Loss = 0.01 };
        await using RoundCluster cluster = await RoundCluster.StartAsync(agents, plan, Ct);
        await cluster.TakeFiguresAsync(Ct);
        for (int round = 0; round < 3; round++) await cluster.RunRoundAsync(Ct);
        RoundFigures figures = await cluster.TakeFiguresAsync(Ct);
        Assert.True(figures.CpuSeconds > 0);
        Assert.True(figures.WireBytes > 3 * plan.Messages * plan.Size);
        // One message in 1,024 is echoed, by the receiver of its group.
        Assert.Equal(9, figures.Latency.Sum(met => met.Count));
        Assert.All(figures.Latency, met => Assert.True(met.Nanos > 0));
    }

    [Fact(Explicit = true)]
    public async Task Several_senders_share_a_round()
    {
        await using AgentCluster agents = await StartAsync();
        await using RoundCluster cluster = await RoundCluster.StartAsync(agents, Plan with { Senders = 2 }, Ct);
        await cluster.RunRoundAsync(Ct);
        await cluster.RunRoundAsync(Ct);
    }

    [Theory]
    [InlineData("sender-1 on ", 0)]
    [InlineData("receiver-1 on ", 1, Explicit = true)]
    [InlineData("host on ", 0, Explicit = true)]
    public async Task A_process_that_is_killed_in_the_middle_ends_the_round_with_its_name(string name, int host)
    {
        await using AgentCluster agents = await StartAsync();
        string failure = await KillAsync(agents, () =>
        {
            // The membership host is started first.
            List<int> roles = HostProcesses.RolesOf(agents.NamespaceOf(host));
            roles.Sort();
            HostProcesses.Kill([name.StartsWith("host", StringComparison.Ordinal) ? roles[0] : roles[^1]]);
        });
        Assert.StartsWith(name + agents.Agents[host].Name, failure, StringComparison.Ordinal);
    }

    [Fact(Explicit = true)]
    public async Task An_agent_that_is_killed_in_the_middle_ends_the_round_with_its_name()
    {
        await using AgentCluster agents = await StartAsync();
        string failure = await KillAsync(
            agents, () => HostProcesses.Kill(HostProcesses.AgentsOf(agents.NamespaceOf(2))));
        Assert.StartsWith($"agent {agents.Agents[2].Name}: ", failure, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_run_that_the_hosts_cannot_carry_is_refused()
    {
        await using AgentCluster agents = await StartAsync();
        await Assert.ThrowsAsync<RunFailedException>(
            () => RoundCluster.StartAsync(agents, Plan with { Hosts = Hosts + 1 }, Ct));
        await Assert.ThrowsAsync<RunFailedException>(
            () => RoundCluster.StartAsync(agents, Plan with { Senders = Hosts }, Ct));
    }

    private static async Task<AgentCluster> StartAsync()
    {
        HostProcesses.SkipWithoutNamespaces();
        return await AgentCluster.StartAsync(Hosts, Ct);
    }

    private static async Task<string> KillAsync(AgentCluster agents, Action kill)
    {
        string failure;
        // A round of minutes, so that nothing but the kill ends it in time.
        await using (RoundCluster cluster = await RoundCluster.StartAsync(agents, Plan with { Rate = 10 }, Ct))
        {
            Task round = cluster.RunRoundAsync(Ct);
            await Task.Delay(TimeSpan.FromMilliseconds(500), Ct);
            kill();
            failure = (await Assert.ThrowsAsync<RunFailedException>(
                () => round.WaitAsync(HostProcesses.Patience, Ct))).Message;
        }
        await HostProcesses.UntilAsync(
            () => Enumerable.Range(0, Hosts)
                .All(host => HostProcesses.RolesOf(agents.NamespaceOf(host)).Count == 0), null);
        return failure;
    }
}
