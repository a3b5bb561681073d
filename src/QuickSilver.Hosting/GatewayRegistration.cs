using Microsoft.Extensions.Configuration;
using QuickSilver.WideArea;

namespace QuickSilver.Hosting;

/// <summary>The gateway that the application has registered for a node.</summary>
internal sealed class GatewayRegistration
{
    private readonly List<Action<SiteGatewayOptions>> _configurations = [];

    /// <summary>Its settings.</summary>
    public SiteGatewayOptions Options { get; private set; } = new();

    /// <summary>Adds what sets options in code, after the section.</summary>
    public void Configure(Action<SiteGatewayOptions> configure)
    {
        _configurations.Add(configure);
        configure(Options);
    }

    /// <summary>Takes the settings from a section, and then from code.</summary>
    /// <returns>The keys that are no options and the values that do not fit, each with its path.</returns>
    public IReadOnlyList<string> Bind(IConfigurationSection section)
    {
        var options = new SiteGatewayOptions();
        IReadOnlyList<string> findings = SectionBinder.Bind(section, options);
        foreach (Action<SiteGatewayOptions> configure in _configurations) configure(options);
        Options = options;
        return findings;
    }
}
