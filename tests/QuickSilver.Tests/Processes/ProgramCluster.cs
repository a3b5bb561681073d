using System.Globalization;
using QuickSilver.Bench.Processes;

namespace QuickSilver.Tests.Processes;

/// <summary>
/// Publishers and subscribers as processes of this machine, in a cluster of their own: own name, own port. This process
/// hosts the membership, so that no program's end moves it.
/// </summary>
internal sealed class ProgramCluster : IAsyncDisposable
{
    private const int TimeoutSeconds = 90;

    private readonly List<ProgramRun> _programs = [];
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("quicksilver-processes-");
    private readonly TransportKind _transport;
    private readonly QuickSilverOptions _options;
    private readonly QuickSilverNode _host;

    private ProgramCluster(TransportKind transport, QuickSilverOptions options, QuickSilverNode host)
    {
        _transport = transport;
        _options = options;
        _host = host;
    }

    public static async Task<ProgramCluster> StartAsync(TransportKind transport)
    {
        var options = new QuickSilverOptions { ClusterName = $"processes-{Guid.NewGuid():N}", NodeName = "host" };
        options.Membership.Port = FreePort.Find();
        options.Transport.Kind = transport;
        return new ProgramCluster(
            transport, options, await QuickSilverNode.StartAsync(options, TestContext.Current.CancellationToken));
    }

    public ProgramRun Start(string verb, string name, params string[] arguments)
    {
        string report = Path.Combine(_folder.FullName, name + ".json");
        string[] common =
        [
            "--name", name, "--cluster", _options.ClusterName, "--port", Text(_options.Membership.Port), "--transport",
            _transport.ToString(),
            "--timeout", Text(TimeoutSeconds), "--json", report, "--progress-json", "--tied",
        ];
        var run = new ProgramRun(verb, name, report, common.Concat(arguments));
        _programs.Add(run);
        return run;
    }

    public static string Text(IFormattable number) => number.ToString(null, CultureInfo.InvariantCulture);

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_programs.Select(program => program.DisposeAsync().AsTask()));
        await _host.DisposeAsync();
        _folder.Delete(recursive: true);
    }
}
