using Microsoft.Extensions.Configuration;
using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>A publisher that the application has registered.</summary>
/// <param name="name">Name of the group.</param>
/// <param name="configure">Sets its options in code, after the section.</param>
internal class PublisherRegistration(string name, Action<HostedPublisherOptions>? configure)
{
    /// <summary>Name of the group.</summary>
    public string Name { get; } = name;

    /// <summary>Its settings.</summary>
    public HostedPublisherOptions Options { get; private set; } = Configured(new HostedPublisherOptions(), configure);

    /// <summary>What its messages are, in words.</summary>
    protected virtual string Kind => "bytes";

    /// <summary>Creates the publisher without a handle.</summary>
    public virtual HostedPublisher Create() => new(this);

    /// <summary>Takes the settings from a section, and then from code.</summary>
    /// <returns>The keys that are no options and the values that do not fit, each with the end of its path.</returns>
    public IReadOnlyList<string> Bind(IConfigurationSection section)
    {
        var options = new HostedPublisherOptions();
        IReadOnlyList<string> findings = SectionBinder.Bind(section, options);
        Options = Configured(options, configure);
        return findings;
    }

    /// <summary>Returns what differs from another registration of the same name, in words.</summary>
    public IEnumerable<string> DifferencesTo(PublisherRegistration other)
    {
        if (Kind != other.Kind) yield return $"values ({Kind} and {other.Kind})";
        foreach (string difference in Options.DifferencesTo(other.Options)) yield return difference;
    }

    /// <summary>Returns the mistakes in the settings, each with the end of its path.</summary>
    public IEnumerable<string> Findings()
    {
        if (Options.ReopenPause <= TimeSpan.Zero || Options.ReopenPause > TimeSpan.FromHours(1))
            yield return $".ReopenPause: {Options.ReopenPause} is not above zero and at most an hour";
        foreach (string finding in Options.Publisher.Validate()) yield return $".Publisher.{finding}";
        if (Options.Typed.LatencySampleEvery < 0)
            yield return $".Typed.LatencySampleEvery: {Options.Typed.LatencySampleEvery} is not 0 or more";
    }

    private static HostedPublisherOptions Configured(
        HostedPublisherOptions options, Action<HostedPublisherOptions>? configure)
    {
        configure?.Invoke(options);
        return options;
    }
}

/// <summary>A publisher of values that the application has registered.</summary>
internal sealed class TypedPublisherRegistration<T>(
    string name, Action<HostedPublisherOptions>? configure, IPayloadSerializer<T> serializer)
    : PublisherRegistration(name, configure)
{
    /// <summary>Turns values into bytes.</summary>
    public IPayloadSerializer<T> Serializer { get; } = serializer;

    /// <inheritdoc/>
    public override HostedPublisher Create() => new HostedPublisher<T>(this);

    /// <inheritdoc/>
    protected override string Kind => $"{typeof(T)} by {Serializer.GetType()}";
}
