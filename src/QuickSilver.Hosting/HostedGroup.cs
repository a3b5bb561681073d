namespace QuickSilver.Hosting;

/// <summary>What applications see of a group of a hosted node.</summary>
/// <param name="registration">What the application has registered.</param>
internal class HostedGroup(GroupRegistration registration)
    : HostedSender<Group>(registration.Name), IQuickSilverGroup
{
    private Exception? _handlersEnded;
    private long _rejoins;

    /// <inheritdoc/>
    public event EventHandler<GroupRejoined>? Rejoined;

    /// <summary>What the application has registered.</summary>
    public GroupRegistration Registration { get; } = registration;

    /// <summary>The handlers on the core thread; null for none. Set before the first handle.</summary>
    public MessageHandler? Inline { get; set; }

    /// <summary>The inbox that the group shares; null: it has one of its own. Set before the first handle.</summary>
    public HostedInbox? Inbox { get; set; }

    /// <inheritdoc/>
    public long Rejoins => Volatile.Read(ref _rejoins);

    /// <inheritdoc/>
    public override string What => $"group '{Name}'";

    /// <inheritdoc/>
    public override TimeSpan Pause => Registration.Options.RejoinPause;

    /// <summary>Why the handlers are called no more though the group goes on; null if they are called. Any
    /// thread.</summary>
    public Exception? HandlersEnded
    {
        get => Volatile.Read(ref _handlersEnded);
        set => Volatile.Write(ref _handlersEnded, value);
    }

    /// <inheritdoc/>
    public override bool IsFollowed(QuickSilverException reason) => reason switch
    {
        NodeEvictedException => Registration.Options.RejoinAfterEviction,
        SlowConsumerException => Registration.Options.RejoinAfterSlowReader,
        _ => false,
    };

    /// <summary>Returns the options of the next handle.</summary>
    public GroupOptions NextOptions(QuickSilverNode node)
    {
        GroupOptions options = Registration.Options.HandleOptions(Inline);
        options.Inbox = Inbox?.Open(node);
        return options;
    }

    /// <inheritdoc/>
    public IAsyncEnumerable<Message> ReadAllAsync(CancellationToken cancellationToken = default) =>
        Turns.ReadAllAsync(static (handle, stop) => handle.ReadAllAsync(stop), cancellationToken);

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

    /// <inheritdoc/>
    protected override Task<Group> OpenAsync(QuickSilverNode node, CancellationToken cancellationToken) =>
        node.JoinAsync(Name, NextOptions(node), cancellationToken);

    /// <inheritdoc/>
    protected override Task EndHandleAsync(Group handle, CancellationToken cancellationToken) =>
        handle.LeaveAsync(cancellationToken);

    /// <inheritdoc/>
    protected override void OnEnded(QuickSilverException reason) => Log.Rejoining(Logger, Name, reason.Message);

    /// <inheritdoc/>
    protected override void OnEndedForGood(QuickSilverException reason) =>
        Log.GroupEnded(Logger, Name, reason.Message);

    /// <inheritdoc/>
    protected override void OnFailed(QuickSilverException reason) =>
        Log.RejoinFailed(Logger, Name, Pause, reason.Message);

    /// <inheritdoc/>
    protected override void OnFollowed(QuickSilverException reason, Group handle, TimeSpan away)
    {
        Interlocked.Increment(ref _rejoins);
        GroupView view = handle.View;
        Log.Rejoined(Logger, Name, away, view.MemberCount);
        Guard(() => Rejoined?.Invoke(this, new GroupRejoined(Name, reason, view, away)));
    }
}
