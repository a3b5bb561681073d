using Microsoft.Extensions.Configuration;

namespace QuickSilver.Hosting;

/// <summary>An inbox that the application has registered, for groups to share.</summary>
/// <param name="name">Name of the inbox.</param>
/// <param name="configure">Sets its options in code, after the section.</param>
internal sealed class InboxRegistration(string name, Action<InboxOptions>? configure)
{
    /// <summary>Name of the inbox.</summary>
    public string Name { get; } = name;

    /// <summary>Its settings.</summary>
    public InboxOptions Options { get; private set; } = Configured(new InboxOptions(), configure);

    /// <summary>Takes the settings from a section, and then from code.</summary>
    /// <returns>The keys that are no options and the values that do not fit, each with the end of its path.</returns>
    public IReadOnlyList<string> Bind(IConfigurationSection section)
    {
        var options = new InboxOptions();
        IReadOnlyList<string> findings = SectionBinder.Bind(section, options);
        Options = Configured(options, configure);
        return findings;
    }

    private static InboxOptions Configured(InboxOptions options, Action<InboxOptions>? configure)
    {
        configure?.Invoke(options);
        return options;
    }
}
