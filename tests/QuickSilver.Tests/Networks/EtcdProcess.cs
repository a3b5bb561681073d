using System.Globalization;
using System.Net.Sockets;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Processes;

namespace QuickSilver.Tests.Networks;

/// <summary>One etcd at a host of a <see cref="NetworkNamespaces"/>, which can be killed and started again with what it
/// had stored. Where no etcd is installed the test is skipped.</summary>
internal sealed class EtcdProcess : IAsyncDisposable
{
    private const int Port = 2379;

    private readonly string _folder = Directory.CreateTempSubdirectory("quicksilver-etcd-").FullName;
    private readonly IReadOnlyList<string> _prefix;
    private readonly string _address;
    private ChildProcess? _process;

    /// <summary>Starts it, and waits until it answers.</summary>
    /// <param name="network">The network.</param>
    /// <param name="host">The host.</param>
    public EtcdProcess(NetworkNamespaces network, int host)
    {
        Assert.SkipUnless(NamespaceSet.HasTool("etcd"), "etcd is not installed (Debian: etcd-server)");
        _prefix = [.. NamespaceSet.PrefixOf(network.NameOf(host))];
        _address = NetworkNamespaces.AddressOf(host);
        Start();
    }

    /// <summary>Where nodes reach it.</summary>
    public string EndPoint => string.Create(CultureInfo.InvariantCulture, $"{_address}:{Port}");

    /// <summary>Starts it again.</summary>
    public void Start()
    {
        string[] command = [
            .. _prefix, "etcd", "--data-dir", _folder, "--log-level", "error", "--unsafe-no-fsync",
            "--listen-client-urls", $"http://{EndPoint}", "--advertise-client-urls", $"http://{EndPoint}",
            "--listen-peer-urls", "http://127.0.0.1:2380"];
        _process = ChildProcess.Start("etcd", command, static _ => { });
    }

    /// <summary>Kills it, as kill -9 does.</summary>
    public async Task KillAsync()
    {
        if (_process is null) return;
        _process.Kill();
        await _process.Exit;
        _process = null;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await KillAsync();
        Directory.Delete(_folder, recursive: true);
    }
}
