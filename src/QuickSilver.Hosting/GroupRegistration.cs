namespace QuickSilver.Hosting;

/// <summary>A group that the application has registered.</summary>
internal class GroupRegistration(string name, HostedGroupOptions options)
{
    /// <summary>Name of the group.</summary>
    public string Name { get; } = name;

    /// <summary>Its settings.</summary>
    public HostedGroupOptions Options { get; } = options;

    /// <summary>How a handler class must handle the messages of this group, for findings.</summary>
    public virtual string HandlerNames => $"{nameof(IMessageHandler)} nor {nameof(IInlineMessageHandler)}";

    /// <summary>Creates the group without a handle.</summary>
    public virtual HostedGroup Create() => new(this);

    /// <summary>Whether a class can handle the messages of this group on pool threads.</summary>
    public virtual bool Fits(Type handler) => typeof(IMessageHandler).IsAssignableFrom(handler);

    /// <summary>Returns what differs from another registration of the same name, in words.</summary>
    public virtual IEnumerable<string> DifferencesTo(GroupRegistration other) => Options.DifferencesTo(other.Options);

    /// <summary>Returns the mistakes in the settings, each with the end of its path.</summary>
    public IEnumerable<string> Findings()
    {
        if (Options.RejoinPause <= TimeSpan.Zero || Options.RejoinPause > TimeSpan.FromHours(1))
            yield return $".RejoinPause: {Options.RejoinPause} is not above zero and at most an hour";
    }

    /// <summary>Calls the handlers with every message of one handle, until it ends.</summary>
    /// <param name="handle">The handle.</param>
    /// <param name="calls">The handlers.</param>
    /// <param name="stop">Ends the reading.</param>
    /// <exception cref="QuickSilverException">The handle has ended by itself, or a handler threw and the policy is not
    /// to go on.</exception>
    public virtual async Task HandleAllAsync(Group handle, HandlerCalls calls, CancellationToken stop)
    {
        await foreach (Message message in handle.ReadAllAsync(stop).ConfigureAwait(false))
        {
            await calls.CallAsync(
                message,
                static (handler, message, stop) => ((IMessageHandler)handler).HandleAsync(message, stop),
                stop).ConfigureAwait(false);
        }
    }
}
