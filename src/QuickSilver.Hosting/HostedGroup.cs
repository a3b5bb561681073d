using System.Runtime.CompilerServices;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace QuickSilver.Hosting;

/// <summary>What applications see of a group of a hosted node; <see cref="GroupFollower"/> gives it its
/// handles.</summary>
internal class HostedGroup : IQuickSilverGroup
{
    private readonly Lock _lock = new();
    private readonly TaskCompletionSource<HandleTurn> _first =
        new(TaskCreationOptions.RunContinuationsAsynchronously);
    private HandleTurn? _turn;
    private Exception? _handlersEnded;
    private long _rejoins;

    /// <summary>Creates a group without a handle.</summary>
    public HostedGroup(GroupRegistration registration) => Registration = registration;

    /// <inheritdoc/>
    public event EventHandler<GroupRejoined>? Rejoined;

    /// <summary>What the application has registered.</summary>
    public GroupRegistration Registration { get; }

    /// <inheritdoc/>
    public string Name => Registration.Name;

    /// <summary>Counts what happens; set before the first handle.</summary>
    protected HostingMeter? Meter { get; private set; }

    /// <summary>Logs it.</summary>
    protected ILogger Logger { get; private set; } = NullLogger.Instance;

    /// <inheritdoc/>
    public Group? Current => Turn is { IsLive: true } turn ? turn.Handle : null;

    /// <inheritdoc/>
    public long Rejoins => Volatile.Read(ref _rejoins);

    /// <summary>Why the group has ended for good; null if it has not.</summary>
    public Exception? EndReason { get; private set; }

    /// <summary>Why the handlers are called no more though the group goes on; null if they are called. Any
    /// thread.</summary>
    public Exception? HandlersEnded
    {
        get => Volatile.Read(ref _handlersEnded);
        set => Volatile.Write(ref _handlersEnded, value);
    }

    /// <summary>The present turn, or the last; null before the first.</summary>
    public HandleTurn? Turn => Volatile.Read(ref _turn);

    /// <summary>The first turn.</summary>
    public Task<HandleTurn> First => _first.Task;

    /// <inheritdoc/>
    public async ValueTask<Group> GetHandleAsync(CancellationToken cancellationToken = default)
    {
        HandleTurn turn = Turn
            ?? await First.WaitAsync(cancellationToken).ConfigureAwait(false);
        while (!turn.IsLive) turn = await turn.Next.WaitAsync(cancellationToken).ConfigureAwait(false);
        return turn.Handle;
    }

    /// <inheritdoc/>
    public ValueTask SendAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default) =>
        SendAsync(payload, static (handle, payload, stop) => handle.SendAsync(payload, stop), cancellationToken);

    /// <summary>Sends by the present handle, or by the next one if that has ended.</summary>
    /// <param name="message">What is sent.</param>
    /// <param name="send">Sends it.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    protected async ValueTask SendAsync<TMessage>(
        TMessage message,
        Func<Group, TMessage, CancellationToken, ValueTask> send,
        CancellationToken cancellationToken)
    {
        while (true)
        {
            Group handle = Current ?? await GetHandleAsync(cancellationToken).ConfigureAwait(false);
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

    /// <inheritdoc/>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default) =>
        ReadAllAsync(static (handle, stop) => handle.ReadAllAsync(stop), cancellationToken);

    /// <summary>Reads one handle after another.</summary>
    /// <param name="read">Reads a handle.</param>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    protected async IAsyncEnumerable<TMessage> ReadAllAsync<TMessage>(
        Func<Group, CancellationToken, IAsyncEnumerable<TMessage>> read,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        HandleTurn turn = Turn
            ?? await First.WaitAsync(cancellationToken).ConfigureAwait(false);
        while (true)
        {
            IAsyncEnumerator<TMessage> reader = read(turn.Handle, cancellationToken)
                .GetAsyncEnumerator(cancellationToken);
            await using (reader.ConfigureAwait(false))
            {
                while (await MovesAsync(reader, turn).ConfigureAwait(false)) yield return reader.Current;
            }
            if (turn.Handle.Completion.IsCompletedSuccessfully) yield break;
            turn = await turn.Next.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Begins the first turn.</summary>
    public void Begin(Group handle)
    {
        var turn = new HandleTurn(handle);
        Volatile.Write(ref _turn, turn);
        _first.SetResult(turn);
    }

    /// <summary>Begins the next turn.</summary>
    /// <returns>False if the group has ended for good.</returns>
    public bool TryPass(Group handle)
    {
        lock (_lock)
        {
            if (EndReason is not null) return false;
            Interlocked.Increment(ref _rejoins);
            Volatile.Write(ref _turn, _turn!.Pass(handle));
            return true;
        }
    }

    /// <summary>Ends the group: calls get the reason. The first reason stays.</summary>
    public void End(Exception reason)
    {
        lock (_lock)
        {
            if (EndReason is not null) return;
            EndReason = reason;
            _first.TrySetException(reason);
            _ = _first.Task.Exception;
            _turn?.End(reason);
        }
    }

    /// <summary>Begins to read a handle for the handlers.</summary>
    /// <param name="handle">The handle.</param>
    /// <param name="stop">Ends the reading.</param>
    /// <exception cref="ObjectDisposedException">The group has been left.</exception>
    public virtual HandleReading Read(Group handle, CancellationToken stop) => new HandleReading<Message>(
        handle.ReadAllAsync(stop),
        static (message, calls, stop) => calls.CallAsync(
            message,
            static (handler, message, stop) => ((IMessageHandler)handler).HandleAsync(message, stop),
            stop),
        stop);

    /// <summary>Gives the group its meter and log.</summary>
    public void Connect(HostingMeter meter, ILogger log) => (Meter, Logger) = (meter, log);

    /// <summary>Raises <see cref="Rejoined"/>.</summary>
    public void Raise(GroupRejoined happened) => Guard(() => Rejoined?.Invoke(this, happened));

    /// <summary>Runs event handlers of the application.</summary>
    protected void Guard(Action raise)
    {
        try
        {
            raise();
        }
        catch (Exception fault)
        {
            Log.EventHandlerFailed(Logger, Name, fault);
        }
    }

    // False when the handle has ended by itself: its next turn, if there is one, goes on.
    private static async ValueTask<bool> MovesAsync<TMessage>(
        IAsyncEnumerator<TMessage> reader, HandleTurn turn)
    {
        try
        {
            return await reader.MoveNextAsync().ConfigureAwait(false);
        }
        catch (QuickSilverException) when (turn.Handle.Completion.IsFaulted)
        {
            return false;
        }
    }
}
