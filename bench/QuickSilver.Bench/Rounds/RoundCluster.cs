using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Runs;

namespace QuickSilver.Bench.Rounds;

/// <summary>
/// The processes of a measurement in rounds, led by one thread. Whatever ends one of them ends the call under way with
/// its name and the reason. Disposing ends them all.
/// </summary>
internal sealed class RoundCluster : IAsyncDisposable
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan RoundLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan FiguresLimit = TimeSpan.FromSeconds(60);

    private readonly RoundPlan _plan;
    private readonly ILab _lab;
    private readonly List<RoleProcess> _processes = [];
    private long _wireBytes;

    private RoundCluster(RoundPlan plan, ILab lab)
    {
        _plan = plan;
        _lab = lab;
    }

    /// <summary>Starts them, and waits until all are members.</summary>
    /// <param name="agents">The hosts; the plan may have fewer.</param>
    /// <param name="plan">What is to be measured.</param>
    /// <param name="ct">Ends the attempt.</param>
    /// <exception cref="RunFailedException">They do not come up.</exception>
    public static async Task<RoundCluster> StartAsync(AgentCluster agents, RoundPlan plan, CancellationToken ct)
    {
        if (plan.Hosts > agents.Agents.Count)
            throw new RunFailedException($"the run needs {plan.Hosts} hosts, there are {agents.Agents.Count}");
        if (plan.Hosts > 1 && plan.Senders >= plan.Hosts)
            throw new RunFailedException($"{plan.Senders} senders on {plan.Hosts} hosts leave none for a receiver");
        int members = plan.Senders + plan.Receivers - 1;
        ILab lab = agents.LabFor(members, plan.Transport == TransportKind.Multicast, plan.Hosts);
        var cluster = new RoundCluster(plan, lab);
        try
        {
            await cluster.StartAsync(cluster.Orders(members + 1), ct);
            return cluster;
        }
        catch
        {
            await cluster.DisposeAsync();
            throw;
        }
    }

    /// <summary>Has a round sent, and waits until every receiver has all of it.</summary>
    /// <exception cref="RunFailedException">A process failed, or it took too long.</exception>
    public Task RunRoundAsync(CancellationToken ct)
    {
        TimeSpan paced = TimeSpan.FromSeconds(_plan.Rate > 0 ? _plan.Messages / _plan.Senders / _plan.Rate : 0);
        return RunLimit.WaitAsync(_processes, RoundAsync(), paced + RoundLimit, "to carry a round", ct);
    }

    /// <summary>What all processes did since the last time.</summary>
    /// <exception cref="RunFailedException">A process failed, or it took too long.</exception>
    public async Task<RoundFigures> TakeFiguresAsync(CancellationToken ct)
    {
        Task<RoundFigures[]> asking = Task.WhenAll(_processes.Skip(1).Select(AskAsync));
        RoundFigures[] all = await RunLimit.WaitAsync(_processes, asking, FiguresLimit, "to tell their figures", ct);
        long before = _wireBytes;
        _wireBytes = await _lab.SentBytesAsync();
        return RoundFigures.Sum(all) with { WireBytes = _wireBytes - before };
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_processes.Select(process => process.DisposeAsync().AsTask()));
        _lab.Dispose();
    }

    private static async Task<RoundFigures> AskAsync(RoleProcess process)
    {
        await process.TellAsync(new RoleCommand(RoundCommands.Figures));
        return (await process.AnswerAsync(RoundCommands.Figures)).Figures!;
    }

    private async Task RoundAsync()
    {
        foreach (RoleProcess sender in Of(RoleKind.RoundSender))
            await sender.TellAsync(new RoleCommand(RoundCommands.Send));
        await Task.WhenAll(
            [.. Of(RoleKind.RoundSender).Select(sender => sender.AnswerAsync(RoundCommands.Send)),
            .. Of(RoleKind.RoundReceiver).Select(receiver => receiver.AnswerAsync(RoundCommands.Received))]);
    }

    private IEnumerable<RoleProcess> Of(RoleKind role) => _processes.Where(process => process.Order.Role == role);

    private async Task StartAsync(IReadOnlyList<RoleStart> starts, CancellationToken ct)
    {
        foreach (bool isHost in (bool[])[true, false])
        {
            foreach (RoleStart start in starts.Where(start => start.Order.Role == RoleKind.Host == isHost))
                _processes.Add(await RoleProcess.StartAsync(start.Order, start.Launch));
            await RunLimit.WaitAsync(
                _processes, Task.WhenAll(_processes.Select(process => process.Ready)), StartLimit, "to start", ct);
        }
    }

    // The membership host comes first; it is on the first host, after all members.
    private List<RoleStart> Orders(int members)
    {
        var common = new RoleOrder
        {
            Role = RoleKind.Host,
            Name = "host",
            Receivers = _plan.Receivers,
            Senders = _plan.Senders,
            Groups = _plan.Groups,
            Overlap = _plan.Overlap,
            Size = _plan.Size,
            RoundMessages = _plan.Messages,
            Rate = _plan.Rate,
            Transport = _plan.Transport,
            Key = _plan.Security.Make(),
            EchoEvery = _lab.EchoEvery(_plan.Rate),
            Cluster = $"rounds-{Environment.ProcessId}",
            MembershipPort = _lab.PortOf(QuickSilverPeer.MembershipPort),
            MembershipServer = $"{_lab.AddressOf(members)}:{_lab.PortOf(QuickSilverPeer.MembershipPort)}",
        };
        List<RoleStart> starts = [Place(members, common)];
        for (int sender = 0; sender < _plan.Senders; sender++)
        {
            starts.Add(Place(
                sender, common with { Role = RoleKind.RoundSender, Name = $"sender-{sender + 1}", Number = sender }));
        }
        for (int receiver = 0; receiver < _plan.Receivers; receiver++)
        {
            starts.Add(Place(_plan.Senders + receiver, common with
            {
                Role = RoleKind.RoundReceiver,
                Name = $"receiver-{receiver + 1}",
                Number = receiver,
                Drop = _plan.Loss,
            }));
        }
        return starts;
    }

    private RoleStart Place(int member, RoleOrder order) =>
        new(order with { Address = _lab.AddressOf(member) }, _lab.LaunchAt(member, new RoleLaunch()));
}
