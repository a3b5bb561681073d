using System.Globalization;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Agents;

/// <summary>
/// Agents that this program starts on its own machine: in network namespaces joined by a bridge where it may make them,
/// else on loopback. They end with this program, and the namespaces with them.
/// </summary>
internal sealed class LocalAgents : IAsyncDisposable
{
    /// <summary>The agents' program, which lies beside this one.</summary>
    public const string Program = "QuickSilver.Agent.dll";

    private const string Subnet = "10.77.0.";
    private const string Bridge = "br0";
    private const int Port = 14_990;
    private const int OwnAddress = 254;
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(30);

    private readonly NamespaceSet? _set;
    private readonly string _switch = "";
    private readonly List<string> _hosts = [];
    private readonly List<ChildProcess> _children = [];

    private LocalAgents(int hosts)
    {
        if (!NamespaceSet.CanMake) return;
        _set = new NamespaceSet();
        _switch = _set.Add("");
        _set.AddBridge(_switch, Bridge);
        // This program is a host on the bridge too.
        _set.Line($"ip -n {_switch} addr add {Subnet}{OwnAddress}/24 dev {Bridge}");
        for (int host = 0; host < hosts; host++)
        {
            string own = _set.Add(string.Create(CultureInfo.InvariantCulture, $"m{host}"));
            _set.Attach(own, "eth0", $"{AddressOf(host)}/24", _switch, Bridge, $"port{host}");
            _set.Line($"ip -n {own} route add 224.0.0.0/4 dev eth0");
            _hosts.Add(own);
        }
    }

    /// <summary>What coordinators have to know: drawn for these agents alone.</summary>
    public AgentKey Key { get; } = AgentKey.Generate();

    /// <summary>HOST:PORT of each.</summary>
    public IReadOnlyList<string> Names { get; private set; } = [];

    /// <summary>What the hosts are, in a few words.</summary>
    public string Text => _set is null
        ? $"{Names.Count} agents on this machine's loopback" : $"{Names.Count} namespaces of this machine as hosts";

    /// <summary>Starts them.</summary>
    /// <param name="hosts">How many.</param>
    /// <param name="ct">Ends the attempt.</param>
    /// <exception cref="RunFailedException">They do not come up.</exception>
    public static async Task<LocalAgents> StartAsync(int hosts, CancellationToken ct)
    {
        string program = Path.Combine(AppContext.BaseDirectory, Program);
        if (!File.Exists(program)) throw new RunFailedException($"{program} is not there: agents cannot be started");
        var agents = new LocalAgents(hosts);
        DirectoryInfo folder = Directory.CreateTempSubdirectory("quicksilver-agents-");
        try
        {
            agents._set?.Apply();
            string key = Path.Combine(folder.FullName, "key");
            agents.Key.Write(key);
            var listening = new List<Task<string>>();
            for (int host = 0; host < hosts; host++) listening.Add(agents.Start(host, program, key));
            agents.Names = await Task.WhenAll(listening).WaitAsync(StartLimit, ct);
            return agents;
        }
        catch (Exception failure)
        {
            await agents.DisposeAsync();
            if (failure is TimeoutException or InvalidOperationException) throw new RunFailedException(failure.Message);
            throw;
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    /// <summary>A socket from which the agents can be reached.</summary>
    public Socket OpenSocket() => _set is null
        ? new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        : NamespaceSocket.Open(_switch, SocketType.Stream, ProtocolType.Tcp);

    /// <summary>The network namespace of an agent; null without namespaces.</summary>
    public string? NamespaceOf(int agent) => _set is null ? null : _hosts[agent];

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_children.Select(child => child.DisposeAsync().AsTask()));
        _set?.Dispose();
    }

    private static string AddressOf(int host) => Subnet + (host + 1).ToString(CultureInfo.InvariantCulture);

    private Task<string> Start(int host, string program, string key)
    {
        var listening = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        string listen = _set is null ? $"{IPAddress.Loopback}:0" : $"{AddressOf(host)}:{Port}";
        IReadOnlyList<string> prefix = _set is null ? [] : NamespaceSet.PrefixOf(_hosts[host]);
        var child = ChildProcess.Start(
            $"agent {host + 1}",
            [.. prefix, .. ChildProcess.CommandOf(program, "--listen", listen, "--key", key, "--tied")],
            line => listening.TrySetResult(line[(line.LastIndexOf(' ') + 1)..]));
        _children.Add(child);
        _ = FailAsync();
        return listening.Task;

        async Task FailAsync()
        {
            int code = await child.Exit;
            listening.TrySetException(
                new RunFailedException($"{child.Name} ended with {code} at {listen}: {child.LastLines}"));
            _ = listening.Task.Exception;
        }
    }
}
