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

    /// <summary>What its messages are, in words.</summary>
    protected virtual string Kind => "bytes";

    /// <summary>Creates the group without a handle.</summary>
    public virtual HostedGroup Create() => new(this);

    /// <summary>Whether a class can handle the messages of this group on pool threads.</summary>
    public virtual bool Fits(Type handler) => typeof(IMessageHandler).IsAssignableFrom(handler);

    /// <summary>Returns what differs from another registration of the same name, in words.</summary>
    public IEnumerable<string> DifferencesTo(GroupRegistration other)
    {
        if (Kind != other.Kind) yield return $"values ({Kind} and {other.Kind})";
        foreach (string difference in Options.DifferencesTo(other.Options)) yield return difference;
    }

    /// <summary>Returns the mistakes in the settings, each with the end of its path.</summary>
    public IEnumerable<string> Findings()
    {
        if (Options.RejoinPause <= TimeSpan.Zero || Options.RejoinPause > TimeSpan.FromHours(1))
            yield return $".RejoinPause: {Options.RejoinPause} is not above zero and at most an hour";
        if (Options.Typed.LatencySampleEvery < 0)
            yield return $".Typed.LatencySampleEvery: {Options.Typed.LatencySampleEvery} is not 0 or more";
    }
}
