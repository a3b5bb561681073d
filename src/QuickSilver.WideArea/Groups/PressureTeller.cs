using QuickSilver.WideArea.Diagnostics;

namespace QuickSilver.WideArea.Groups;

/// <summary>Looks 20 times a second at what waits of each group, and tells the site which groups are held up. A group
/// is held up from half of its limit on, until a quarter of it waits.</summary>
internal sealed class PressureTeller(
    QuickSilverNode node, SiteGatewayOptions options, IReadOnlyList<GroupWorker> workers, GatewayLog log)
{
    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan RepeatPause = TimeSpan.FromMilliseconds(500);

    private readonly Dictionary<string, string> _held = [];
    private long _toldAt;

    /// <summary>Tells until it is cancelled.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        GroupPublisher? publisher = null;
        try
        {
            while (true)
            {
                await Task.Delay(LookPause, cancellationToken).ConfigureAwait(false);
                bool hasChanged = Look();
                bool isDue = _held.Count > 0
                    && Environment.TickCount64 - _toldAt >= RepeatPause.TotalMilliseconds;
                if (!hasChanged && !isDue) continue;
                if (publisher is null || publisher.Completion.IsCompleted)
                    publisher = await OpenAsync(cancellationToken).ConfigureAwait(false);
                if (publisher is null) continue;
                // It is told again soon, so a send that is refused costs nothing.
                _ = publisher.TrySend(PressureBody.Write([.. _held.Select(one => (one.Key, one.Value))]));
                _toldAt = Environment.TickCount64;
            }
        }
        catch (OperationCanceledException)
        {
            if (publisher is not null) await publisher.DisposeAsync().ConfigureAwait(false);
        }
    }

    private async Task<GroupPublisher?> OpenAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await node.OpenPublisherAsync(PressureBody.Group, null, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception refusal) when (refusal is QuickSilverException or ObjectDisposedException)
        {
            return null;
        }
    }

    private bool Look()
    {
        bool hasChanged = false;
        foreach (GroupWorker worker in workers)
        {
            string name = worker.Name;
            long bytes = worker.UnreadBytes;
            bool wasHeld = _held.TryGetValue(name, out string? before);
            bool isHeld = bytes > options.MaxWaitingBytesPerGroup / (wasHeld ? 4 : 2);
            string site = worker.Group?.SlowSite ?? before ?? "unknown";
            if (isHeld == wasHeld && (!isHeld || site == before)) continue;
            hasChanged = true;
            if (isHeld) _held[name] = site;
            else _held.Remove(name);
            if (isHeld && !wasHeld) log.Post(logger => Log.HeldUp(logger, name, options.Site, site, bytes));
            else if (!isHeld) log.Post(logger => Log.Released(logger, name, options.Site));
        }
        return hasChanged;
    }
}
