using Microsoft.Extensions.Logging.Abstractions;

namespace QuickSilver.Membership.Kubernetes.Tests;

/// <summary>The nodes of a test; they end with it.</summary>
internal sealed class NodeRig : IAsyncDisposable
{
    /// <summary>How long anything may take before a test gives up on it.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly List<QuickSilverNode> _nodes = [];

    public async Task<QuickSilverNode> StartAsync(Action<QuickSilverOptions> change)
    {
        var options = new QuickSilverOptions { ClusterName = "tests" };
        options.UseLoggerFactory(NullLoggerFactory.Instance);
        options.Security.UseNone();
        change(options);
        QuickSilverNode node = await QuickSilverNode.StartAsync(options).WaitAsync(Patience);
        _nodes.Add(node);
        return node;
    }

    public static async Task<List<string>> ReadAsync(Group group, int count)
    {
        using var limit = new CancellationTokenSource(Patience);
        var read = new List<string>();
        await foreach (Message message in group.ReadAllAsync(limit.Token))
        {
            read.Add(message.GetString());
            if (read.Count == count) break;
        }
        return read;
    }

    /// <summary>Waits for something that no task tells of.</summary>
    public static Task UntilAsync(Func<bool> holds, string what) => UntilAsync(() => Task.FromResult(holds()), what);

    /// <summary>As the overload above, for what is found out by a call that waits.</summary>
    public static async Task UntilAsync(Func<Task<bool>> holds, string what)
    {
        long start = Environment.TickCount64;
        while (!await holds())
        {
            Assert.True(Environment.TickCount64 - start < Patience.TotalMilliseconds, $"never: {what}");
            await Task.Delay(5);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (QuickSilverNode node in _nodes) await node.DisposeAsync();
    }
}
