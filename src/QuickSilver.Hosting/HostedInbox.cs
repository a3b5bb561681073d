namespace QuickSilver.Hosting;

/// <summary>One reader over groups of a hosted node. Each eviction ends an inbox; the first group that is joined again
/// makes the next one.</summary>
/// <param name="registration">What the application has registered.</param>
internal sealed class HostedInbox(InboxRegistration registration) : IQuickSilverInbox
{
    private readonly Lock _lock = new();
    private readonly HandleTurns<Inbox> _turns = new();

    /// <inheritdoc/>
    public string Name => registration.Name;

    /// <summary>Returns the inbox for groups that are joined now. Any thread.</summary>
    /// <exception cref="ObjectDisposedException">The host has ended.</exception>
    public Inbox Open(QuickSilverNode node)
    {
        lock (_lock)
        {
            if (_turns.Last is { IsLive: true } turn) return turn.Handle;
            Inbox inbox = node.CreateInbox(registration.Options);
            if (_turns.TryPass(inbox, inbox.Completion)) return inbox;
            throw new ObjectDisposedException(Name, "The host has ended.");
        }
    }

    /// <inheritdoc/>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default) =>
        _turns.ReadAllAsync(static (inbox, stop) => inbox.ReadAllAsync(stop), cancellationToken);

    /// <summary>Notes that no inbox follows.</summary>
    public void End(Exception reason) => _turns.End(reason);
}
