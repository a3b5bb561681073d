namespace QuickSilver.Membership.Discovery;

/// <summary>One source of addresses, with its last answer. One call at a time, except <see cref="Describe"/>.</summary>
/// <param name="source">The source.</param>
/// <param name="isOwn">True if this object disposes of it.</param>
/// <param name="cluster">The name of the cluster.</param>
/// <param name="events">Receives trouble.</param>
internal sealed class DiscoverySource(
    IMembershipDiscovery source, bool isOwn, string cluster, IDiscoveryEvents events)
    : IAsyncDisposable
{
    private static readonly TimeSpan CallTime = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan KeepTime = TimeSpan.FromSeconds(1);

    private IReadOnlyList<(string Host, int Port)> _found = [];
    private long _asked = long.MinValue;
    private volatile string _fault = "";
    private volatile int _count;

    /// <summary>Asks the source, unless it was asked a moment ago.</summary>
    /// <returns>What it told last.</returns>
    public async Task<IReadOnlyList<(string Host, int Port)>> FindAsync(CancellationToken stop)
    {
        long now = Environment.TickCount64;
        if (_asked != long.MinValue && now - _asked < KeepTime.TotalMilliseconds) return _found;
        try
        {
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
            limit.CancelAfter(CallTime);
            IReadOnlyList<string> told = await source.FindServersAsync(cluster, limit.Token).AsTask()
                .WaitAsync(limit.Token).ConfigureAwait(false);
            _found = Parse(told);
            _count = _found.Count;
            _fault = "";
        }
        catch (Exception failure)
        {
            stop.ThrowIfCancellationRequested();
            string what = failure is OperationCanceledException
                ? $"no answer within {CallTime.TotalSeconds:0} s"
                : failure.Message;
            if (what != _fault) events.OnDiscoveryFailed(source.Describe(), what);
            _fault = what;
        }
        _asked = Environment.TickCount64;
        return _found;
    }

    /// <summary>Names the source, with what it told last.</summary>
    public string Describe()
    {
        string what = _fault.Length > 0 ? $"does not answer: {_fault}" : _count == 0 ? "names none" : $"names {_count}";
        return $"{source.Describe()} {what}";
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (isOwn) await DisposalOf(source).ConfigureAwait(false);
    }

    /// <summary>Disposes of what a node has made for itself, if it can be disposed of.</summary>
    public static async ValueTask DisposalOf(object made)
    {
        if (made is IAsyncDisposable later) await later.DisposeAsync().ConfigureAwait(false);
        else (made as IDisposable)?.Dispose();
    }

    private static List<(string Host, int Port)> Parse(IReadOnlyList<string> told)
    {
        var parsed = new List<(string Host, int Port)>();
        foreach (string text in told)
        {
            if (MembershipOptions.TryParseServer(text, out string host, out int port) && !parsed.Contains((host, port)))
                parsed.Add((host, port));
        }
        return parsed;
    }
}
