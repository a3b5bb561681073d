using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace QuickSilver.Hosting;

/// <summary>Follows the handles of one group or publisher across evictions, and sends by the present one. Any
/// thread.</summary>
/// <param name="name">Name of the group.</param>
internal abstract class HostedSender<THandle>(string name) : HostedSender, IQuickSilverSender
    where THandle : MessageSender
{
    private readonly GroupView _none = new(name, 0, []);

    /// <inheritdoc cref="IQuickSilverSender.Name"/>
    public override string Name { get; } = name;

    /// <inheritdoc/>
    public override Exception? EndReason => Turns.EndReason;

    /// <inheritdoc/>
    public override MessageSender? Sender => Current;

    /// <summary>The handles.</summary>
    public HandleTurns<THandle> Turns { get; } = new();

    /// <inheritdoc/>
    public GroupView View => Turns.Last?.Handle.View ?? _none;

    /// <summary>The present handle; null while there is none.</summary>
    protected THandle? Current => Turns.Last is { IsLive: true } turn ? turn.Handle : null;

    /// <inheritdoc/>
    public override void End(Exception reason) => Turns.End(reason);

    /// <summary>Opens a handle.</summary>
    protected abstract Task<THandle> OpenAsync(QuickSilverNode node, CancellationToken cancellationToken);

    /// <summary>Waits for every live member, then ends the handle.</summary>
    protected abstract Task EndHandleAsync(THandle handle, CancellationToken cancellationToken);

    /// <summary>Tells that a handle has ended, and another follows.</summary>
    protected abstract void OnEnded(QuickSilverException reason);

    /// <summary>Tells that a handle has ended for good.</summary>
    protected abstract void OnEndedForGood(QuickSilverException reason);

    /// <summary>Tells that another handle cannot be opened yet.</summary>
    protected abstract void OnFailed(QuickSilverException reason);

    /// <summary>Tells that another handle has followed.</summary>
    protected abstract void OnFollowed(QuickSilverException reason, THandle handle, TimeSpan away);

    /// <summary>Waits for the present handle.</summary>
    public async ValueTask<THandle> GetHandleAsync(CancellationToken cancellationToken = default) =>
        Current ?? (await Turns.GetAsync(cancellationToken).ConfigureAwait(false)).Handle;

    /// <inheritdoc/>
    public SendStatus TrySend(ReadOnlySpan<byte> payload) =>
        Turns.Last?.Handle.TrySend(payload)
        ?? (EndReason is null ? SendStatus.NotMember : SendStatus.Closed);

    /// <inheritdoc/>
    public ValueTask SendAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default) =>
        SendAsync(payload, static (handle, payload, stop) => handle.SendAsync(payload, stop), cancellationToken);

    /// <inheritdoc/>
    public async Task<DeliveryReport> SendConfirmedAsync(
        ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default)
    {
        THandle handle = await GetHandleAsync(cancellationToken).ConfigureAwait(false);
        return await handle.SendConfirmedAsync(payload, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async Task FlushAsync(CancellationToken cancellationToken = default)
    {
        HandleTurn<THandle> turn = Turns.Last
            ?? await Turns.First.WaitAsync(cancellationToken).ConfigureAwait(false);
        await turn.Handle.FlushAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async Task<GroupView> WaitForMembersAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        while (true)
        {
            THandle handle = await GetHandleAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                return await handle.WaitForMembersAsync(count, cancellationToken).ConfigureAwait(false);
            }
            catch (QuickSilverException) when (handle.Completion.IsFaulted)
            {
                // The next handle goes on, or tells why there is none.
            }
        }
    }

    /// <summary>Sends by the present handle, or by the next one if that has ended.</summary>
    /// <param name="message">What is sent.</param>
    /// <param name="send">Sends it.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    protected async ValueTask SendAsync<TMessage>(
        TMessage message,
        Func<THandle, TMessage, CancellationToken, ValueTask> send,
        CancellationToken cancellationToken)
    {
        while (true)
        {
            THandle handle = Current ?? await GetHandleAsync(cancellationToken).ConfigureAwait(false);
            try
            {
                await send(handle, message, cancellationToken).ConfigureAwait(false);
                return;
            }
            catch (QuickSilverException) when (handle.Completion.IsFaulted)
            {
                // Nothing was admitted. The next handle takes it, or tells why there is none.
            }
        }
    }

    /// <summary>Opens the first handle at run time, and follows it.</summary>
    /// <param name="node">The node.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    /// <param name="stop">The host stops.</param>
    public async Task StartAsync(QuickSilverNode node, CancellationToken cancellationToken, CancellationToken stop)
    {
        THandle handle = await OpenFirstAsync(node, [this], token => OpenAsync(node, token), cancellationToken)
            .ConfigureAwait(false);
        if (!Begin(node, handle, stop)) await handle.DisposeAsync().ConfigureAwait(false);
        if (EndReason is { } reason) throw reason;
    }

    /// <summary>Begins with the first handle, and follows it until the host stops.</summary>
    /// <returns>False if it has ended before.</returns>
    public bool Begin(QuickSilverNode node, THandle first, CancellationToken stop)
    {
        if (!Turns.TryPass(first, first.Completion)) return false;
        Following = FollowAsync(node, first, stop);
        return true;
    }

    /// <summary>Ends it for good, by the application's wish: no handle follows.</summary>
    /// <param name="cancellationToken">Cancels the wait for members only.</param>
    public Task EndAsync(CancellationToken cancellationToken)
    {
        End(new ObjectDisposedException(Name, $"The {What} has been left or closed."));
        return EndHandleAsync(Turns.Last!.Handle, cancellationToken);
    }

    /// <summary>As <see cref="EndAsync"/>; never throws.</summary>
    public ValueTask EndDisposedAsync()
    {
        End(new ObjectDisposedException(Name, $"The {What} has been disposed of."));
        return Turns.Last!.Handle.DisposeAsync();
    }

    private async Task FollowAsync(QuickSilverNode node, THandle first, CancellationToken stop)
    {
        THandle handle = first;
        while (true)
        {
            await handle.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            long ended = Stopwatch.GetTimestamp();
            if (handle.Completion.Exception?.InnerException is not QuickSilverException reason)
            {
                End(new ObjectDisposedException(Name, $"The {What} has been left or closed."));
                return;
            }
            if (EndReason is not null) return;
            if (stop.IsCancellationRequested || node.Completion.IsCompleted || !IsFollowed(reason))
            {
                if (!stop.IsCancellationRequested) OnEndedForGood(reason);
                End(reason);
                return;
            }
            OnEnded(reason);
            if (await OpenAgainAsync(node, stop).ConfigureAwait(false) is not { } next)
            {
                End(reason);
                return;
            }
            handle = next;
            if (!Turns.TryPass(handle, handle.Completion))
            {
                // It was left meanwhile: by the application, or because a handler has failed.
                await handle.DisposeAsync().ConfigureAwait(false);
                return;
            }
            Meter?.OnRejoin(reason);
            OnFollowed(reason, handle, Stopwatch.GetElapsedTime(ended));
        }
    }

    // Null if the host stops, the node has ended, or no handle may follow any more.
    private async Task<THandle?> OpenAgainAsync(QuickSilverNode node, CancellationToken stop)
    {
        while (!node.Completion.IsCompleted && EndReason is null)
        {
            try
            {
                try
                {
                    return await OpenAsync(node, stop).ConfigureAwait(false);
                }
                catch (QuickSilverException fault) when (!node.Completion.IsCompleted)
                {
                    OnFailed(fault);
                    await Task.Delay(Pause, stop).ConfigureAwait(false);
                }
            }
            catch (Exception fault) when (
                fault is OperationCanceledException or ObjectDisposedException or QuickSilverException)
            {
                return null;
            }
        }
        return null;
    }
}
