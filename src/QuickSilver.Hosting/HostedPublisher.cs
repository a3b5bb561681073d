namespace QuickSilver.Hosting;

/// <summary>What applications see of a publisher of a hosted node.</summary>
/// <param name="registration">What the application has registered.</param>
internal class HostedPublisher(PublisherRegistration registration)
    : HostedSender<GroupPublisher>(registration.Name), IQuickSilverPublisher
{
    /// <summary>What the application has registered.</summary>
    public PublisherRegistration Registration { get; } = registration;

    /// <inheritdoc/>
    public override string What => $"publisher of '{Name}'";

    /// <inheritdoc/>
    public override TimeSpan Pause => Registration.Options.ReopenPause;

    /// <inheritdoc/>
    public override bool IsFollowed(QuickSilverException reason) =>
        reason is NodeEvictedException && Registration.Options.ReopenAfterEviction;

    /// <inheritdoc/>
    protected override Task<GroupPublisher> OpenAsync(QuickSilverNode node, CancellationToken cancellationToken) =>
        node.OpenPublisherAsync(Name, Registration.Options.Publisher, cancellationToken);

    /// <inheritdoc/>
    protected override Task EndHandleAsync(GroupPublisher handle, CancellationToken cancellationToken) =>
        handle.CloseAsync(cancellationToken);

    /// <inheritdoc/>
    protected override void OnEnded(QuickSilverException reason) => Log.Reopening(Logger, Name, reason.Message);

    /// <inheritdoc/>
    protected override void OnEndedForGood(QuickSilverException reason) =>
        Log.PublisherEnded(Logger, Name, reason.Message);

    /// <inheritdoc/>
    protected override void OnFailed(QuickSilverException reason) =>
        Log.ReopenFailed(Logger, Name, Pause, reason.Message);

    /// <inheritdoc/>
    protected override void OnFollowed(QuickSilverException reason, GroupPublisher handle, TimeSpan away) =>
        Log.Reopened(Logger, Name, away, handle.View.MemberCount);
}
