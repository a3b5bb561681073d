using System.CommandLine;
using System.CommandLine.Parsing;
using QuickSilver.Bench;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Peers;
using QuickSilver.Bench.Reports;
using QuickSilver.Bench.Roles;
using QuickSilver.Bench.Traffic;
using QuickSilver.Scenarios.Arguments;

namespace QuickSilver.Scenarios.Verbs;

/// <summary>
/// The systems a user would pick instead, in the same settings and the same run: one sender, receivers as processes, at
/// full speed and at a fixed rate. Adapters that are not part of this program are made by bench/peers/run.
/// </summary>
internal sealed class PeerComparison : IScenario
{
    private readonly Option<string[]> _peers = new("--peer")
    {
        Description = "What to measure; may be repeated. Default: all.",
        DefaultValueFactory = _ => [.. PeerCatalog.All
            .Where(static peer => peer is not QuickSilverPeer { Security: RunSecurity.Key })
            .Select(static peer => peer.Name)],
    };

    private readonly Option<int[]> _receivers =
        new("--receivers") { Description = "Receiver processes; may be repeated.", DefaultValueFactory = _ => [3] };
    private readonly Option<int[]> _sizes = new("--size")
    { Description = "Bytes of a message; may be repeated.", DefaultValueFactory = _ => [1000] };

    private readonly Option<int[]> _groups = new("--groups")
    {
        Description = "Groups or topics that the sender goes round; may be repeated. Above 1, systems that have none "
            + "are left out.",
        DefaultValueFactory = _ => [1],
    };

    private readonly Option<double[]> _drops = new("--drop")
    {
        Description = "Share of packets that vanish before each receiver, for all systems alike; may be repeated. "
            + "Needs --net bridge or wire.",
        DefaultValueFactory = _ => [0],
    };

    private readonly Option<NetProfile> _net = NetOption.Make();

    private readonly Option<double> _warmUp = new Option<double>("--warmup")
    {
        Description = "Seconds before measuring: about as long runtimes go on compiling what runs.",
        DefaultValueFactory = _ => 8,
    }.AtLeast(0);

    private readonly Option<double> _seconds =
        new Option<double>("--seconds") { Description = "Seconds measured.", DefaultValueFactory = _ => 3 }.Above(0);
    private readonly Option<int> _repeat =
        new Option<int>("--repeat")
        {
            Description = "Repetitions, the systems interleaved.",
            DefaultValueFactory = _ => 5
        }.AtLeast(1);

    private readonly Option<double> _latencyRate = new Option<double>("--rate")
    {
        Description = "Messages a second of the latency runs; 0: none.",
        DefaultValueFactory = _ => 20_000,
    }.AtLeast(0);

    private readonly Option<int> _slot = new Option<int>("--slot")
    {
        Description = "Bytes of a packed raw datagram; 0: 8000 on loopback, 1372 else.",
        DefaultValueFactory = _ => 0,
    }.AtLeast(0);

    private readonly OwnOptions _own = new();
    private readonly Option<DirectoryInfo?> _build = new("--build")
    { Description = "Where bench/peers/run has put the adapters." };
    private readonly Option<DirectoryInfo?> _svg = new("--svg")
    { Description = "Write a plot for each setting into this folder (by gnuplot)." };

    private readonly Option<FileInfo?> _markdown = new("--markdown")
    { Description = "Write the tables to this file as Markdown." };

    /// <inheritdoc/>
    public string Verb => "peers";

    /// <inheritdoc/>
    public string Summary =>
        "QuickSilver beside raw multicast, TCP, JGroups, Cyclone DDS, ZeroMQ, NORM, NATS, Redis, RabbitMQ, MQTT, "
        + "Akka.NET and Orleans.";

    /// <inheritdoc/>
    public IReadOnlyList<Option> Options =>
        [_peers, _receivers, _sizes, _groups, _drops, _net, _warmUp, _seconds, _repeat, _latencyRate, _slot,
            .. _own.All, _build, _svg, _markdown];

    /// <inheritdoc/>
    public void Validate(CommandResult result)
    {
        foreach (string name in result.ValueOrDefault(_peers) ?? [])
        {
            if (PeerCatalog.All.All(peer => peer.Name != name))
            {
                result.AddError(
                    $"--peer {name}: there are {string.Join(", ", PeerCatalog.All.Select(peer => peer.Name))}.");
            }
        }
        if (result.ValueOrDefault(_sizes)!.Any(size => size < MeasuredHeader.Bytes))
            result.AddError($"--size is less than {MeasuredHeader.Bytes}.");
        if (result.ValueOrDefault(_receivers)!.Any(receivers => receivers < 1))
            result.AddError("--receivers is less than 1.");
        if (result.ValueOrDefault(_groups)!.Any(groups => groups < 1)) result.AddError("--groups is less than 1.");
        if (result.ValueOrDefault(_drops)!.Any(drop => drop is < 0 or >= 1)) result.AddError("--drop is not a share.");
        if (result.ValueOrDefault(_drops)!.Any(drop => drop > 0)
            && result.ValueOrDefault(_net) is not (NetProfile.Bridge or NetProfile.Wire))
            result.AddError("--drop needs --net bridge or wire: on loopback one drop would be everybody's.");
    }

    /// <inheritdoc/>
    public async Task<ScenarioOutcome> RunAsync(ParseResult parsed, CancellationToken ct)
    {
        string[] names = parsed.GetValue(_peers)!;
        List<Peer> peers = _own.Peers(parsed, names);
        var build = new PeerBuild(
            parsed.GetValue(_build)?.FullName ?? Path.Combine(Path.GetTempPath(), "quicksilver-peers"));
        double latencyRate = parsed.GetValue(_latencyRate);
        List<PeerSetting> full = [.. Settings(parsed)];
        IEnumerable<PeerSetting> all = latencyRate > 0
            ? full.SelectMany(setting => (PeerSetting[])[setting, setting with { Rate = latencyRate }])
            : full;

        List<RunReport> runs = await new PeerBench(peers, build).RunAsync([.. all], parsed.GetValue(_repeat), ct);
        var tables = new PeerTables(peers, build, runs);
        ScenarioOutcome outcome = new(runs, tables.Summary, tables.Make(full, latencyRate));
        if (parsed.GetValue(_markdown) is { } file)
        {
            string text = new PeerMarkdown(peers, build, runs).Make(full, parsed.GetValue(_repeat));
            await File.WriteAllTextAsync(file.FullName, text, ct);
        }
        if (parsed.GetValue(_svg) is { } folder) Draw(folder, full, tables.Summary);
        return outcome;
    }

    private IEnumerable<PeerSetting> Settings(ParseResult parsed)
    {
        NetProfile net = parsed.GetValue(_net);
        int slot = parsed.GetValue(_slot);
        return from drop in parsed.GetValue(_drops)!
               from receivers in parsed.GetValue(_receivers)!
               from size in parsed.GetValue(_sizes)!
               from groups in parsed.GetValue(_groups)!
               select _own.Apply(parsed, new PeerSetting
               {
                   Net = net,
                   Receivers = receivers,
                   Size = size,
                   Drop = drop,
                   Groups = groups > 1 ? groups : 0,
                   WarmUpSeconds = parsed.GetValue(_warmUp),
                   MeasuredSeconds = parsed.GetValue(_seconds),
                   Slot = slot > 0 ? slot : net is NetProfile.Bridge or NetProfile.Wire ? 1372 : 8000,
               });
    }

    private static void Draw(DirectoryInfo folder, List<PeerSetting> settings, List<VariantSummary> summary)
    {
        folder.Create();
        foreach (PeerSetting setting in settings)
        {
            string file = string.Concat(
                setting.Text.Select(letter => char.IsAsciiLetterOrDigit(letter) ? letter : '-'));
            List<VariantSummary> bars = [
                .. summary.Where(item => item.Figure == $"{setting.Text}: {PeerTables.RateFigure}")];
            if (bars.Count > 0)
                Plot.Bars(
                    Path.Combine(folder.FullName, $"peers-{file}.svg"), setting.Text, PeerTables.RateFigure, bars);
        }
    }
}
