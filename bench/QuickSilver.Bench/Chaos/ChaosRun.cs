using System.Diagnostics;
using System.Globalization;
using System.Text;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Chaos;

/// <summary>Starts a cluster of processes, does to it what the plan says, and lets it come to rest. Judges nothing:
/// that is for <see cref="ChaosChecker"/>.</summary>
internal sealed class ChaosRun : IAsyncDisposable
{
    private const int PortsPerNode = 2;
    private const int FirstPort = 17_000;
    private const int PortBlocks = 500;
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan RestLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan WarmUp = TimeSpan.FromSeconds(1.5);
    private static readonly TimeSpan LastMessages = TimeSpan.FromSeconds(1.5);

    private readonly ChaosSetup _setup;
    private readonly ChaosPlan _plan;
    private readonly Spawner _spawner = new();
    private readonly ChaosProcess[] _processes;
    private readonly bool[] _isHurt;
    private readonly List<ChaosProcess> _dead = [];
    private readonly List<string> _failures = [];
    private readonly Dictionary<ChaosFaultKind, int> _done = [];
    private readonly StringBuilder _story = new();
    private readonly int _port = FreePort.Find();
    private readonly string? _key;
    private readonly int _firstPort = FirstPort + (Environment.ProcessId % PortBlocks * 20);
    private readonly string _cluster = $"chaos-{Environment.ProcessId}";
    private long _start;
    private long _lastFault;
    private bool _isGoing;

    /// <summary>Prepares a run.</summary>
    public ChaosRun(ChaosSetup setup)
    {
        _setup = setup;
        _key = setup.Security.Make();
        _plan = new ChaosPlan(setup.Seed, setup.Nodes, setup.Groups, setup.Seconds, setup.FailureTimeout);
        _processes = new ChaosProcess[setup.Nodes];
        _isHurt = new bool[setup.Nodes];
    }

    /// <summary>Runs.</summary>
    public async Task<ChaosEnd> RunAsync(CancellationToken ct)
    {
        _start = Stopwatch.GetTimestamp();
        for (int node = 0; node < _setup.Nodes; node++) _processes[node] = await StartAsync(node, 1);
        await WaitAsync("joined", StartLimit, "to join", ct);
        _isGoing = true;
        foreach (ChaosProcess process in _processes) await process.TellAsync("go");
        await Task.Delay(WarmUp, ct);

        long zero = Stopwatch.GetTimestamp();
        List<Task> restorations = [];
        foreach (ChaosFault fault in _plan.Faults)
        {
            TimeSpan pause = TimeSpan.FromSeconds(fault.At) - Stopwatch.GetElapsedTime(zero);
            if (pause > TimeSpan.Zero) await Task.Delay(pause, ct);
            restorations.AddRange(Apply(fault));
        }
        await Task.WhenAll(restorations);
        _lastFault = Stopwatch.GetTimestamp();
        Tell("the last fault is over");

        foreach (ChaosProcess process in _processes) await process.TellAsync("calm");
        bool isConfirmed = await WaitAsync("calm", RestLimit, "to confirm after the last fault", ct);
        double? confirmed = isConfirmed ? Stopwatch.GetElapsedTime(_lastFault).TotalSeconds : null;
        TimeSpan rest = TimeSpan.FromSeconds(
            _setup.FailureTimeout + _setup.Recovery + 1) - Stopwatch.GetElapsedTime(_lastFault);
        if (rest > TimeSpan.Zero) await Task.Delay(rest, ct);
        foreach (ChaosProcess process in _processes) await process.TellAsync("stop");
        await WaitAsync("stop", EndLimit, "to flush", ct);
        await Task.Delay(LastMessages, ct);
        foreach (ChaosProcess process in _processes) await process.TellAsync("end");
        await WaitAsync("end", EndLimit, "to end", ct);
        NoteFailures();
        await File.WriteAllTextAsync(Path.Combine(_setup.Directory, "story.txt"), _story.ToString(), ct);
        return new ChaosEnd
        {
            LastFault = _lastFault,
            LastProcesses = [.. _processes.Select(process => process.Order.Chaos!.Process)],
            Confirmed = confirmed,
            Failures = _failures,
            Done = _done,
        };
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(
            _processes.Where(process => process is not null).Concat(_dead)
                .Select(process => process.DisposeAsync().AsTask()));
        _spawner.Dispose();
    }

    private IEnumerable<Task> Apply(ChaosFault fault)
    {
        int[] nodes = Targets(fault);
        // Half of the cluster, and the mate that is spared, stay well: there have to be survivors.
        if (nodes.Length == 0 || nodes.Any(node => _isHurt[node])
            || _isHurt.Count(isHurt => isHurt) + nodes.Length > _setup.Nodes / 2) return [];
        Tell($"{fault.Kind} of {string.Join(", ", nodes)} for {fault.Seconds:N2} s");
        _done[fault.Kind] = _done.GetValueOrDefault(fault.Kind) + 1;
        foreach (int node in nodes) _isHurt[node] = true;
        return nodes.Select(node => HurtAsync(fault, node)).ToList();
    }

    private int[] Targets(ChaosFault fault)
    {
        switch (fault.Kind)
        {
            case ChaosFaultKind.KillClass:
                return [.. _plan.Mates(fault.Node)];
            case ChaosFaultKind.KillHost:
                int? host = ListenerFinder.Find(_port, _processes.Select(process => process.Id));
                return host is { } found ? [Array.FindIndex(_processes, process => process.Id == found)] : [];
            default:
                return [fault.Node];
        }
    }

    private async Task HurtAsync(ChaosFault fault, int node)
    {
        ChaosProcess process = _processes[node];
        var lasts = TimeSpan.FromSeconds(fault.Seconds);
        switch (fault.Kind)
        {
            case ChaosFaultKind.ShortStop or ChaosFaultKind.LongStop:
                Signals.Stop(process.Id);
                await Task.Delay(lasts);
                Signals.Continue(process.Id);
                Tell($"node {node} goes on");
                break;
            case ChaosFaultKind.Bounce:
                await process.TellAsync("bounce");
                break;
            case ChaosFaultKind.Restart:
                await process.TellAsync("restart");
                break;
            default:
                await process.KillAsync();
                lock (_dead) _dead.Add(process);
                await Task.Delay(lasts);
                _processes[node] = await StartAsync(node, process.Order.Chaos!.Process + 1);
                Tell($"node {node} is started again");
                break;
        }
        _isHurt[node] = false;
    }

    private async Task<ChaosProcess> StartAsync(int node, int process)
    {
        int port = _firstPort + (node * PortsPerNode);
        ChaosProcess started = await ChaosProcess.StartAsync(_spawner, new RoleOrder
        {
            Role = RoleKind.ChaosMember,
            Name = $"n{node}",
            Number = node,
            Cluster = _cluster,
            MembershipPort = _port,
            Transport = _setup.Transport,
            Drop = _setup.Drop,
            Key = _key,
            Chaos = new ChaosOrder
            {
                Process = process,
                Groups = _plan.GroupsOf(node),
                SendRate = node < _setup.Senders ? _setup.Rate : 0,
                Seed = _setup.Seed + (ulong)((node * 1000) + process),
                PortRange = string.Create(CultureInfo.InvariantCulture, $"{port}-{port + PortsPerNode - 1}"),
                FailureTimeout = _setup.FailureTimeout,
                LogFile = Path.Combine(_setup.Directory, $"n{node}.{process}.log"),
            },
        });
        if (_isGoing) await started.TellAsync("go");
        return started;
    }

    private async Task<bool> WaitAsync(string word, TimeSpan limit, string what, CancellationToken ct)
    {
        ChaosProcess[] waited = [.. _processes];
        try
        {
            await Task.WhenAll(waited.Select(process => process.Said(word))).WaitAsync(limit, ct);
            return true;
        }
        catch (TimeoutException)
        {
            string late = string.Join(
                ", ", waited.Where(process => !process.Said(word).IsCompleted).Select(process => process.Order.Name));
            _failures.Add($"after {limit.TotalSeconds:N0} s {late} had still {what}");
            if (!_isGoing) throw new RunFailedException(string.Join("; ", _failures));
            return false;
        }
    }

    private void NoteFailures()
    {
        foreach (ChaosProcess process in _processes.Concat(_dead))
        {
            if (process.Failure is { } failure)
                _failures.Add($"{process.Order.Name}, process {process.Order.Chaos!.Process}: {failure}");
        }
    }

    private void Tell(string what)
    {
        lock (_story)
        {
            _story.AppendLine(
                CultureInfo.InvariantCulture,
                $"{Stopwatch.GetTimestamp()} {Stopwatch.GetElapsedTime(_start).TotalSeconds:N3} s: {what}");
        }
    }
}
