using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Agents;

/// <summary>
/// The agents of a cluster as the place of one run: sender and membership host on the first, receivers in turn on the
/// others. Disposing leaves the agents as they are.
/// </summary>
/// <param name="agents">Of the cluster, at least one.</param>
/// <param name="receivers">Of the run.</param>
internal sealed class AgentLab(IReadOnlyList<AgentLink> agents, int receivers) : ILab
{
    private const double EchoesPerSecond = 1000;
    private const int EchoEveryAtFullSpeed = 1024;

    private readonly Dictionary<int, int> _ports = [];

    /// <inheritdoc/>
    public bool HasMachines => true;

    /// <inheritdoc/>
    public int EchoEvery(double rate) =>
        rate > 0 ? Math.Max(1, (int)(rate / EchoesPerSecond)) : EchoEveryAtFullSpeed;

    /// <inheritdoc/>
    public string AddressOf(int member) => At(member).Facts.Address;

    /// <inheritdoc/>
    public int PortOf(int wanted)
    {
        // Agents of one machine share its ports with all that runs there.
        if (!agents.All(agent => agent.Facts.IsLoopback)) return wanted;
        if (!_ports.TryGetValue(wanted, out int port)) _ports.Add(wanted, port = FreePort.Find());
        return port;
    }

    /// <inheritdoc/>
    public RoleLaunch LaunchAt(int member, RoleLaunch launch) =>
        launch.Command is null && launch.Environment is null
            ? new RoleLaunch { Agent = At(member) }
            : throw new RunFailedException("it is a program of its own, or needs an environment: agents start roles");

    /// <inheritdoc/>
    public async Task<long> SentBytesAsync() =>
        (await Task.WhenAll(agents.DistinctBy(agent => agent.Facts.Address).Select(agent => agent.SentBytesAsync())))
            .Sum();

    /// <inheritdoc/>
    public void Dispose()
    {
        // What the run left on the agents has ended with its processes.
    }

    private AgentLink At(int member) =>
        member == 0 || member > receivers || agents.Count == 1
            ? agents[0] : agents[1 + ((member - 1) % (agents.Count - 1))];
}
