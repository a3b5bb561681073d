using System.CommandLine;
using System.Globalization;
using BenchmarkDotNet.Reports;
using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Rounds;

namespace QuickSilver.Benchmarks.Cluster;

/// <summary>
/// The part of the command line that the cluster's benchmarks read; BenchmarkDotNet reads the rest. Values that may be
/// several are given as a list with commas, and each is a parameter of the benchmarks.
/// </summary>
internal sealed class ClusterArguments
{
    private const int Failed = 1;
    private const int DefaultHosts = 4;

    private readonly Option<string> _agents = new("--agents")
    {
        Description = "Agents of the hosts to run on, the sender's first: HOST:PORT,HOST:PORT,... "
            + "Without them, agents are started on this machine: as root on Linux in network namespaces joined by a "
            + "bridge, as separate hosts; else on loopback.",
        DefaultValueFactory = _ => "",
        HelpName = "HOST:PORT,...",
    };

    private readonly Option<FileInfo?> _key = new("--agent-key")
    { Description = "The file with the agents' key.", HelpName = "FILE" };

    private readonly Option<string> _hosts = List("--hosts", "Hosts of a run. Default: all agents, or 4.", "");
    private readonly Option<string> _senders = List("--senders", "Senders; the other hosts receive.", "1");
    private readonly Option<string> _groups = List("--groups", "Groups, in turn.", "1,1000");
    private readonly Option<string> _overlap =
        List("--overlap", "Share of the groups that each receiver joins.", "1");

    private readonly Option<string> _sizes = List("--size", "Bytes of a message.", "1000,64");
    private readonly Option<string> _losses = List("--loss", "Share of datagrams that receivers drop.", "0,0.01");
    private readonly Option<string> _transports = List("--transport", "Auto, Multicast or Unicast.", "Auto");
    private readonly Option<string> _security =
        List("--security", "What protects QuickSilver: none, or key, which is made for the run.", "none");

    private readonly Option<string> _rates = List("--rate", "Messages a second, of ClusterLatency.", "1000");
    private readonly Option<double> _settle = new("--settle")
    {
        Description = "Seconds of rounds before those that count: the runtime compiles what runs.",
        DefaultValueFactory = _ => 8,
    };

    private readonly Option<int> _rounds = new("--rounds")
    { Description = "Rounds that count.", DefaultValueFactory = _ => 10 };

    private ParseResult _parsed;

    private ClusterArguments() => _parsed = Command().Parse([]);

    /// <summary>Those of this process.</summary>
    public static ClusterArguments Given { get; } = new();

    /// <summary>Rounds that count.</summary>
    public int Rounds => _parsed.GetValue(_rounds);

    /// <summary>How long rounds go on that do not.</summary>
    public TimeSpan Settling => TimeSpan.FromSeconds(_parsed.GetValue(_settle));

    /// <summary>Agents that run already; none: they are to be started.</summary>
    public string[] Agents => Split(_agents);

    public IEnumerable<int> Hosts
    {
        get
        {
            int[] given = [.. Split(_hosts).Select(text => int.Parse(text, CultureInfo.InvariantCulture))];
            return given.Length > 0 ? given : [Agents.Length > 0 ? Agents.Length : DefaultHosts];
        }
    }

    public IEnumerable<int> Senders => Ints(_senders);

    public IEnumerable<int> Groups => Ints(_groups);

    public IEnumerable<double> Overlaps => Doubles(_overlap);

    public IEnumerable<int> Sizes => Ints(_sizes);

    public IEnumerable<double> Losses => Doubles(_losses);

    public IEnumerable<TransportKind> Transports =>
        Split(_transports).Select(text => Enum.Parse<TransportKind>(text, ignoreCase: true));

    public IEnumerable<RunSecurity> Securities =>
        Split(_security).Select(text => Enum.Parse<RunSecurity>(text, ignoreCase: true));

    public IEnumerable<int> Rates => Ints(_rates);

    /// <summary>Parses a program's command line, and runs the rest of it.</summary>
    /// <param name="args">All words.</param>
    /// <param name="run">Is given those that are BenchmarkDotNet's.</param>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunAsync(string[] args, Func<string[], IEnumerable<Summary>> run)
    {
        RootCommand command = Given.Command();
        command.TreatUnmatchedTokensAsErrors = false;
        command.SetAction(async (parsed, ct) =>
        {
            Given._parsed = parsed;
            await using var session = new ClusterSession(ct);
            ClusterSession.Current = session;
            string[] rest = [.. parsed.UnmatchedTokens];
            Summary[] summaries = await Task.Run(() => run(rest).ToArray(), CancellationToken.None);
            session.PrintHosts(Console.Out);
            if (session.Failure is { } failure) await Console.Error.WriteLineAsync($"failed: {failure}");
            bool isWhole = session.Failure is null
                && summaries.All(summary => !summary.HasCriticalValidationErrors
                    && summary.Reports.All(report => report.Success));
            return isWhole ? 0 : Failed;
        });
        return await command.Parse(args).InvokeAsync();
    }

    /// <summary>Calls the agents, or starts some.</summary>
    public async Task<AgentCluster> OpenAsync(CancellationToken ct)
    {
        if (Agents.Length == 0) return await AgentCluster.StartAsync(Hosts.Max(), ct);
        FileInfo key = _parsed.GetValue(_key)
            ?? throw new QuickSilver.Bench.Roles.RunFailedException("--agents needs --agent-key");
        return await AgentCluster.ConnectAsync(Agents, AgentKey.Read(key.FullName), ct);
    }

    private static Option<string> List(string name, string description, string given) =>
        new(name) { Description = description, DefaultValueFactory = _ => given, HelpName = "A,B,..." };

    private RootCommand Command() => new(
        "Measures single types, and whole clusters over agents (--filter '*Cluster*'). All other options are "
        + "BenchmarkDotNet's, for example --filter and --artifacts.")
    {
        _agents, _key, _hosts, _senders, _groups, _overlap, _sizes, _losses, _transports, _security, _rates, _settle,
        _rounds,
    };

    private IEnumerable<int> Ints(Option<string> option) =>
        Split(option).Select(text => int.Parse(text, CultureInfo.InvariantCulture));

    private IEnumerable<double> Doubles(Option<string> option) =>
        Split(option).Select(text => double.Parse(text, CultureInfo.InvariantCulture));

    private string[] Split(Option<string> option) => _parsed.GetValue(option)!.Split(
        ',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
}
