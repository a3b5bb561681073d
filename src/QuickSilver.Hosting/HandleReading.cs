namespace QuickSilver.Hosting;

/// <summary>The reading of one handle for its handlers. It has begun once it is made: what the handle has stored by its
/// end is then handled, even if the group is left before the first handler is called.</summary>
internal abstract class HandleReading
{
    /// <summary>Calls the handlers with every message, until the handle ends. Called once.</summary>
    /// <param name="calls">The handlers.</param>
    /// <param name="stop">Ends the calls.</param>
    /// <exception cref="QuickSilverException">The handle has ended by itself, or a handler threw and the policy is not
    /// to go on.</exception>
    public abstract Task HandleAllAsync(HandlerCalls calls, CancellationToken stop);
}

/// <inheritdoc/>
internal sealed class HandleReading<TMessage> : HandleReading
{
    private readonly IAsyncEnumerator<TMessage> _messages;
    private readonly Func<TMessage, HandlerCalls, CancellationToken, ValueTask> _call;
    private readonly Task<bool> _first;

    /// <summary>Begins to read.</summary>
    /// <param name="messages">The messages of the handle.</param>
    /// <param name="call">Calls the handlers with one.</param>
    /// <param name="stop">Ends the reading.</param>
    public HandleReading(
        IAsyncEnumerable<TMessage> messages,
        Func<TMessage, HandlerCalls, CancellationToken, ValueTask> call,
        CancellationToken stop)
    {
        _call = call;
        _messages = messages.GetAsyncEnumerator(stop);
        _first = _messages.MoveNextAsync().AsTask();
    }

    /// <inheritdoc/>
    public override async Task HandleAllAsync(HandlerCalls calls, CancellationToken stop)
    {
        await using (_messages.ConfigureAwait(false))
        {
            bool isMessage = await _first.ConfigureAwait(false);
            while (isMessage)
            {
                await _call(_messages.Current, calls, stop).ConfigureAwait(false);
                isMessage = await _messages.MoveNextAsync().ConfigureAwait(false);
            }
        }
    }
}
