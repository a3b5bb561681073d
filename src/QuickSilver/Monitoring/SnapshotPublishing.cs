using QuickSilver.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Runtime;
using QuickSilver.Sending;

namespace QuickSilver.Monitoring;

/// <summary>
/// Publishes the node's snapshots once a second, from its making to its <see cref="Stop"/>. The core thread makes them,
/// a pool thread writes and sends them. A send never waits: while a monitor is slow, snapshots are left out. If the
/// publisher ends or cannot be opened, it is opened again later.
/// </summary>
/// <param name="core">The node.</param>
/// <param name="join">Opens the publisher.</param>
/// <param name="make">Makes a snapshot; null for none.</param>
internal sealed class SnapshotPublishing(NodeCore core, JoinHandle join, Func<Instant, NodeSnapshot?> make)
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan RetryPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan ReportPause = TimeSpan.FromMinutes(1);

    // All nodes hear of a monitor at once, and their snapshots should not come at once.
    private static readonly TimeSpan LongestDelay = TimeSpan.FromMilliseconds(500);

    private readonly CancellationTokenSource _stop = new();
    private readonly SnapshotWriter _writer = new();

    // Core thread only.
    private Instant _reportAgain;

    /// <summary>Begins; call once. Any thread.</summary>
    public void Start() => _ = Task.Run(RunAsync);

    /// <summary>Ends it, in the background. Any thread.</summary>
    public void Stop() => _stop.Cancel();

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                GroupHandle handle = await join(StatisticsGroup.Name, true, _stop.Token).ConfigureAwait(false);
                try
                {
                    await PublishAsync(handle).ConfigureAwait(false);
                }
                finally
                {
                    // Nobody misses a snapshot that has not arrived.
                    LeaveOperation.Begin(core, [handle]).Hurry();
                }
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                return;
            }
            catch (Exception refused) when (refused is QuickSilverException or ObjectDisposedException)
            {
                // Not admitted now, or evicted meanwhile.
            }
            await Task.Delay(RetryPause, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task PublishAsync(GroupHandle handle)
    {
        CancellationToken stop = _stop.Token;
        int limit = Math.Min(SnapshotLimits.Bytes, handle.Services.Options.Pending.MaxMessageBytes);
        await Task.Delay(LongestDelay * Random.Shared.NextDouble(), stop).ConfigureAwait(false);
        using var timer = new PeriodicTimer(Interval);
        do
        {
            // While the core thread is held by user code, nothing is told: monitors see the node fall silent.
            if (await MakeAsync(stop).ConfigureAwait(false) is { } snapshot) Send(handle, snapshot, limit);
        }
        while (!handle.HasEnded && await timer.WaitForNextTickAsync(stop).ConfigureAwait(false));
    }

    private void Send(GroupHandle handle, NodeSnapshot snapshot, int limit)
    {
        ReadOnlySpan<byte> bytes = _writer.Write(snapshot, limit);
        if (bytes.IsEmpty || handle.HasEnded || handle.Core is not { IsOpen: true } group) return;
        PooledPayload payload = handle.Services.SendBuffers.Copy(bytes);
        if (!group.TrySend(payload, payload.Length)) payload.Return();
    }

    private async Task<NodeSnapshot?> MakeAsync(CancellationToken stop)
    {
        var made = new TaskCompletionSource<NodeSnapshot?>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!core.Services.TryPost(now => made.TrySetResult(Make(now)))) return null;
        return await made.Task.WaitAsync(stop).ConfigureAwait(false);
    }

    // A failure to make a snapshot must not end the core.
    private NodeSnapshot? Make(Instant now)
    {
        try
        {
            return make(now);
        }
        catch (Exception failure)
        {
            if (now >= _reportAgain)
            {
                _reportAgain = now + ReportPause;
                core.Services.Log.Post(
                    (core.Services.Name, failure),
                    static (logger, s) => Log.SnapshotFailed(logger, s.Name, s.failure));
            }
            return null;
        }
    }
}
