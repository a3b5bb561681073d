namespace QuickSilver.Tests.Membership.Discovery;

/// <summary>A source of addresses that a test fills.</summary>
internal sealed class TestSource : IMembershipDiscovery, IAsyncDisposable
{
    private int _asked;

    public volatile IReadOnlyList<string> Servers = [];

    public volatile Exception? Failure;

    public volatile bool IsDisposed;

    public int Asked => Volatile.Read(ref _asked);

    public ValueTask<IReadOnlyList<string>> FindServersAsync(string cluster, CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _asked);
        return Failure is { } failure ? throw failure : ValueTask.FromResult(Servers);
    }

    public string Describe() => "the test's source";

    public ValueTask DisposeAsync()
    {
        IsDisposed = true;
        return ValueTask.CompletedTask;
    }
}
