namespace QuickSilver.Membership.Etcd.Tests.Stores;

/// <summary>An etcd for all tests that do not disturb it: each has keys of its own.</summary>
public sealed class SharedEtcd : IAsyncLifetime
{
    private EtcdServer? _server;
    private int _prefixes;

    internal EtcdServer Server
    {
        get
        {
            EtcdServer.Require();
            return _server!;
        }
    }

    public async ValueTask InitializeAsync()
    {
        if (EtcdServer.Program is not null) _server = await EtcdServer.StartAsync();
    }

    /// <summary>Keys that no other test has.</summary>
    internal string Prefix() => $"test {Interlocked.Increment(ref _prefixes)}/";

    public async ValueTask DisposeAsync()
    {
        if (_server is not null) await _server.DisposeAsync();
    }
}
