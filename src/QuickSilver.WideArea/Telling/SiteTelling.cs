namespace QuickSilver.WideArea.Telling;

/// <summary>
/// The active gateway in the group <see cref="GroupName"/>, in which it tells the nodes of its site what it knows of
/// the others, and they ask. It joins again after an eviction. Its task runs on pool threads; members may be called
/// from any.
/// </summary>
internal sealed class SiteTelling(QuickSilverNode node)
{
    /// <summary>The group in which gateways tell.</summary>
    public const string GroupName = "quicksilver/sites";

    private static readonly TimeSpan RejoinPause = TimeSpan.FromMilliseconds(200);

    private Group? _joined;

    /// <summary>Called for each message, by the task. Nodes of the site send them: they may say anything.</summary>
    public Action<Message>? OnMessage { get; init; }

    /// <summary>Tells something, if it can be sent at once. What matters is told again.</summary>
    /// <returns>False when nothing was sent.</returns>
    public bool TrySend(ReadOnlySpan<byte> body) =>
        Volatile.Read(ref _joined) is { } joined && joined.TrySend(body) == SendStatus.Accepted;

    /// <summary>Stays in the group until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        while (!cancellationToken.IsCancellationRequested)
        {
            try
            {
                await using Group joined = await node.JoinAsync(GroupName, null, cancellationToken)
                    .ConfigureAwait(false);
                Volatile.Write(ref _joined, joined);
                await foreach (Message message in joined.ReadAllAsync(cancellationToken).ConfigureAwait(false))
                    OnMessage?.Invoke(message);
            }
            catch (Exception ended)
                when (ended is OperationCanceledException or QuickSilverException or ObjectDisposedException)
            {
                Volatile.Write(ref _joined, null);
            }
            await Task.Delay(RejoinPause, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
