using Microsoft.Extensions.Configuration;

namespace QuickSilver.Hosting;

/// <summary>A group that the application has registered.</summary>
/// <param name="name">Name of the group.</param>
/// <param name="configure">Sets its options in code, after the section.</param>
internal class GroupRegistration(string name, Action<HostedGroupOptions>? configure)
{
    /// <summary>Name of the group.</summary>
    public string Name { get; } = name;

    /// <summary>Its settings.</summary>
    public HostedGroupOptions Options { get; private set; } = Configured(new HostedGroupOptions(), configure);

    /// <summary>How a handler class must handle the messages of this group, for findings.</summary>
    public virtual string HandlerNames => $"{nameof(IMessageHandler)} nor {nameof(IInlineMessageHandler)}";

    /// <summary>What its messages are, in words.</summary>
    protected virtual string Kind => "bytes";

    /// <summary>Creates the group without a handle.</summary>
    public virtual HostedGroup Create() => new(this);

    /// <summary>Whether a class can handle the messages of this group on pool threads.</summary>
    public virtual bool Fits(Type handler) => typeof(IMessageHandler).IsAssignableFrom(handler);

    /// <summary>Takes the settings from a section, and then from code.</summary>
    /// <returns>The keys that are no options and the values that do not fit, each with the end of its path.</returns>
    public IReadOnlyList<string> Bind(IConfigurationSection section)
    {
        var options = new HostedGroupOptions();
        IReadOnlyList<string> findings = SectionBinder.Bind(section, options);
        Options = Configured(options, configure);
        return findings;
    }

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
        foreach (string finding in Options.Group.Validate()) yield return $".Group.{finding}";
        if (Options.Group.Inbox is not null)
            yield return ".Group.Inbox: it ends with an eviction; register one by AddInbox, and set Inbox to its name";
        if (Options.Typed.LatencySampleEvery < 0)
            yield return $".Typed.LatencySampleEvery: {Options.Typed.LatencySampleEvery} is not 0 or more";
    }

    private static HostedGroupOptions Configured(HostedGroupOptions options, Action<HostedGroupOptions>? configure)
    {
        configure?.Invoke(options);
        return options;
    }
}
