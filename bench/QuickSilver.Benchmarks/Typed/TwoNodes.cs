namespace QuickSilver.Benchmarks.Typed;

/// <summary>Two nodes in the memory of this process.</summary>
internal sealed class TwoNodes : IAsyncDisposable
{
    private TwoNodes(QuickSilverNode one, QuickSilverNode other)
    {
        One = one;
        Other = other;
    }

    public QuickSilverNode One { get; }

    public QuickSilverNode Other { get; }

    /// <summary>Starts them.</summary>
    public static async Task<TwoNodes> StartAsync()
    {
        QuickSilverNode one = await QuickSilverNode.StartAsync(Options("one"));
        return new TwoNodes(one, await QuickSilverNode.StartAsync(Options("other")));
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await Other.DisposeAsync();
        await One.DisposeAsync();
    }

    private static QuickSilverOptions Options(string name)
    {
        var options = new QuickSilverOptions { ClusterName = $"bench-{Environment.ProcessId}", NodeName = name };
        options.Transport.Kind = TransportKind.InMemory;
        return options;
    }
}
