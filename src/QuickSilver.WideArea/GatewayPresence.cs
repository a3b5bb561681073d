namespace QuickSilver.WideArea;

/// <summary>
/// Sees to it that a cluster has one gateway: two would forward each other's messages, in a circle. A gateway is in the
/// group <see cref="Group"/> while it is in any group that spans sites, and enters those only when it is alone there.
/// One that has died is in the view until the cluster has noticed. Any thread.
/// </summary>
internal sealed class GatewayPresence(QuickSilverNode node, string site) : IAsyncDisposable
{
    /// <summary>The group in which gateways meet.</summary>
    public const string Group = "quicksilver/gateways";

    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(20);
    private static readonly HashSet<QuickSilverNode> Nodes = [];

    private readonly SemaphoreSlim _turn = new(1);
    private Group? _joined;
    private bool _hasNode;

    /// <summary>Takes the node: it has one gateway.</summary>
    /// <exception cref="InvalidOperationException">It has one already.</exception>
    public void TakeNode()
    {
        lock (Nodes)
        {
            if (!Nodes.Add(node)) throw new InvalidOperationException($"The node {node.Name} has a gateway already.");
        }
        _hasNode = true;
    }

    /// <summary>Waits until no other gateway is in the cluster.</summary>
    /// <param name="limit">How long; infinite for as long as it takes.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="InvalidOperationException">Another is there after that time.</exception>
    public async Task BeAloneAsync(TimeSpan limit, CancellationToken cancellationToken)
    {
        await _turn.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_joined is { Completion.IsCompleted: false }) return;
            var options = new GroupOptions { BufferBeforeFirstRead = false };
            Group joined = await node.JoinAsync(Group, options, cancellationToken).ConfigureAwait(false);
            long start = Environment.TickCount64;
            while (joined.View is { MemberCount: > 1 } view)
            {
                if (limit != Timeout.InfiniteTimeSpan && Environment.TickCount64 - start > limit.TotalMilliseconds)
                {
                    await joined.DisposeAsync().ConfigureAwait(false);
                    throw Refusal(view);
                }
                await Task.Delay(LookPause, cancellationToken).ConfigureAwait(false);
            }
            _joined = joined;
        }
        finally
        {
            _turn.Release();
        }
    }

    /// <summary>Lets another gateway begin.</summary>
    public async ValueTask DisposeAsync()
    {
        if (_joined is not null) await _joined.DisposeAsync().ConfigureAwait(false);
        if (!_hasNode) return;
        lock (Nodes) Nodes.Remove(node);
    }

    private InvalidOperationException Refusal(GroupView view)
    {
        string others = string.Join(
            ", ", view.Members.Where(member => member.Id != node.Id).Select(static member => member.Name));
        return new InvalidOperationException(
            $"The cluster of site '{site}' has a gateway, beside node {others}: a cluster has one at a time.");
    }
}
