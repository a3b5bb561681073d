using System.Globalization;
using System.Runtime.InteropServices;
using QuickSilver.Bench.Processes;
using QuickSilver.Membership.Etcd;

namespace QuickSilver.Membership.Etcd.Tests.Stores;

/// <summary>
/// An etcd of a test's own: a real one, on loopback, with its own folder. It ends with this process, however this ends.
/// </summary>
internal sealed partial class EtcdServer : IAsyncDisposable
{
    /// <summary>How long anything may take before a test gives up on it.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    // The shell outlives no test: its input ends with this process. It tells the number of etcd's process.
    private const string Guard = "\"$@\" & pid=$!; echo $pid; cat > /dev/null; kill -KILL $pid";
    private const int Continue = 18;
    private const int Stop = 19;

    // With these it grants leases of a second.
    private static readonly string[] OfShortLeases = ["--heartbeat-interval", "100", "--election-timeout", "500"];

    private readonly List<string> _arguments;
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("qs-etcd-");
    private ChildProcess? _process;
    private int _id;

    private EtcdServer(int port, int peerPort, string name, string cluster, string scheme, IEnumerable<string> more)
    {
        Port = port;
        EndPoint = $"{scheme}://127.0.0.1:{port}";
        _arguments =
        [
            "--name", name, "--data-dir", DataFolder,
            "--listen-client-urls", EndPoint, "--advertise-client-urls", EndPoint,
            "--listen-peer-urls", $"http://127.0.0.1:{peerPort}",
            "--initial-advertise-peer-urls", $"http://127.0.0.1:{peerPort}",
            "--initial-cluster", cluster,
            // Disks of a busy machine are slow, and members that wait for them elect no leader.
            "--unsafe-no-fsync", .. more,
        ];
    }

    /// <summary>The program; null if there is none.</summary>
    public static string? Program { get; } = FindProgram();

    /// <summary>Where it serves, with the scheme.</summary>
    public string EndPoint { get; }

    /// <summary>The port of <see cref="EndPoint"/>.</summary>
    public int Port { get; }

    private string DataFolder => Path.Combine(_folder.FullName, "data");

    /// <summary>Skips the test where there is no etcd.</summary>
    public static void Require() => Assert.SkipUnless(
        Program is not null, "there is no program etcd; .ci/etcd installs it, or QUICKSILVER_ETCD names it");

    /// <summary>Starts one, and waits until it answers.</summary>
    public static async Task<EtcdServer> StartAsync(string scheme = "http", params string[] more)
    {
        Require();
        int peerPort = FreePort.Find();
        var server = new EtcdServer(
            FreePort.Find(), peerPort, "one", $"one=http://127.0.0.1:{peerPort}", scheme, [.. OfShortLeases, .. more]);
        server.Start();
        if (scheme == "http") await server.WaitAsync();
        return server;
    }

    /// <summary>Starts several that are members of one etcd. They grant leases of two seconds or more.</summary>
    public static async Task<List<EtcdServer>> StartManyAsync(int count)
    {
        Require();
        var peers = new HashSet<int>();
        while (peers.Count < count) peers.Add(FreePort.Find());
        int[] ports = [.. peers];
        string cluster = string.Join(
            ',', ports.Select(static (port, index) => $"member{index}=http://127.0.0.1:{port}"));
        List<EtcdServer> servers = [.. ports.Select(
            (port, index) => new EtcdServer(FreePort.Find(), port, $"member{index}", cluster, "http", []))];
        foreach (EtcdServer server in servers) server.Start();
        foreach (EtcdServer server in servers) await server.WaitAsync();
        return servers;
    }

    /// <summary>Starts it, with what its folder holds.</summary>
    public void Start()
    {
        var told = new TaskCompletionSource<int>();
        _process = ChildProcess.Start(
            "etcd", ["/bin/sh", "-c", Guard, "sh", Program!, .. _arguments],
            line => told.TrySetResult(int.Parse(line, CultureInfo.InvariantCulture)));
        Assert.True(told.Task.Wait(Patience));
        _id = told.Task.Result;
    }

    /// <summary>It answers: another process can read from it.</summary>
    public async Task WaitAsync()
    {
        await using var election = new EtcdElection(Options());
        await UntilAsync(
            async () =>
            {
                try
                {
                    await election.FindLeaderAsync("of nobody", CancellationToken.None);
                    return true;
                }
                catch (IOException)
                {
                    return false;
                }
            },
            $"etcd answers: {_process?.LastLines}");
    }

    /// <summary>Options of elections that ask it, with leases of a second.</summary>
    public EtcdOptions Options() => new()
    {
        Endpoints = { EndPoint },
        LeaseDuration = TimeSpan.FromSeconds(1),
        RequestTimeout = TimeSpan.FromMilliseconds(900),
    };

    /// <summary>It stands still.</summary>
    public void Freeze() => Assert.Equal(0, Kill(_id, Stop));

    /// <summary>It goes on.</summary>
    public void Thaw() => Assert.Equal(0, Kill(_id, Continue));

    /// <summary>It ends as with kill -9.</summary>
    public async Task KillAsync()
    {
        if (_process is null) return;
        await _process.DisposeAsync();
        _process = null;
    }

    /// <summary>It has lost all that it knew.</summary>
    public void Wipe() => Directory.Delete(DataFolder, recursive: true);

    /// <summary>Waits for something that no task tells of.</summary>
    public static async Task UntilAsync(Func<Task<bool>> holds, string what)
    {
        long start = Environment.TickCount64;
        while (!await holds())
        {
            Assert.True(Environment.TickCount64 - start < Patience.TotalMilliseconds, $"never: {what}");
            await Task.Delay(20);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await KillAsync();
        _folder.Delete(recursive: true);
    }

    private static string? FindProgram()
    {
        if (Environment.GetEnvironmentVariable("QUICKSILVER_ETCD") is { Length: > 0 } named) return named;
        if (!OperatingSystem.IsLinux()) return null;
        return (Environment.GetEnvironmentVariable("PATH") ?? "").Split(':')
            .Select(static folder => Path.Combine(folder, "etcd")).FirstOrDefault(File.Exists);
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);
}
