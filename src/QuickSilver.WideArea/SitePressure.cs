using QuickSilver.WideArea.Telling;

namespace QuickSilver.WideArea;

/// <summary>
/// Tells a node that sends much to groups that span sites when a slow site holds them up. A gateway bounds what waits
/// for other sites; a sender that waits here before each send stays within that bound, and no other sender does.
/// <para>
/// Without a gateway in the cluster, or three seconds after it fell silent, nothing is held up. After an eviction of
/// the node open another. All members may be called from any thread.
/// </para>
/// </summary>
public sealed class SitePressure : IAsyncDisposable
{
    private static readonly TimeSpan Validity = TimeSpan.FromSeconds(3);

    private readonly Lock _lock = new();
    private Dictionary<string, string> _held = [];
    private long _heldUntil;
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Group? _group;

    private SitePressure()
    {
    }

    /// <summary>Joins the group in which gateways tell of it, "quicksilver/sites".</summary>
    /// <param name="node">The node that sends.</param>
    /// <param name="cancellationToken">Cancels the join.</param>
    /// <exception cref="QuickSilverException">As of <see cref="QuickSilverNode.JoinAsync"/>.</exception>
    public static async Task<SitePressure> OpenAsync(
        QuickSilverNode node, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(node);
        var pressure = new SitePressure();
        var options = new GroupOptions { OnMessage = pressure.OnMessage, BufferBeforeFirstRead = false };
        pressure._group = await node.JoinAsync(SiteTelling.GroupName, options, cancellationToken).ConfigureAwait(false);
        return pressure;
    }

    /// <summary>The site that holds a group up; null while none does. Allocates nothing.</summary>
    public string? SlowSiteOf(string group)
    {
        ArgumentNullException.ThrowIfNull(group);
        lock (_lock)
        {
            if (Environment.TickCount64 >= _heldUntil) return null;
            return _held.GetValueOrDefault(group);
        }
    }

    /// <summary>Completes when no site holds a group up. At once, and without an allocation, while none does.</summary>
    /// <param name="group">Name of the group.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the slow site.
    /// </exception>
    public ValueTask WaitAsync(string group, CancellationToken cancellationToken = default) =>
        SlowSiteOf(group) is null && !cancellationToken.IsCancellationRequested
            ? default
            : WaitLongerAsync(group, cancellationToken);

    /// <summary>Leaves the group.</summary>
    public ValueTask DisposeAsync() => _group!.DisposeAsync();

    internal void OnMessage(in MessageRef message)
    {
        if (!PressureBody.TryRead(message.Payload, out Dictionary<string, string> held)) return;
        TaskCompletionSource changed;
        lock (_lock)
        {
            _held = held;
            _heldUntil = held.Count == 0 ? 0 : Environment.TickCount64 + (long)Validity.TotalMilliseconds;
            changed = _changed;
            _changed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }
        changed.SetResult();
    }

    private async ValueTask WaitLongerAsync(string group, CancellationToken cancellationToken)
    {
        while (SlowSiteOf(group) is { } site)
        {
            Task changed;
            TimeSpan rest;
            lock (_lock)
            {
                changed = _changed.Task;
                rest = TimeSpan.FromMilliseconds(Math.Max(1, _heldUntil - Environment.TickCount64));
            }
            await Task.WhenAny(changed, Task.Delay(rest, cancellationToken)).ConfigureAwait(false);
            if (!cancellationToken.IsCancellationRequested) continue;
            throw new OperationCanceledException(
                $"The wait to send to '{group}' was cancelled. Site '{site}' holds it up.", cancellationToken);
        }
        cancellationToken.ThrowIfCancellationRequested();
    }
}
