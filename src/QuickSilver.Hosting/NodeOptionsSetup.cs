using System.Diagnostics.Metrics;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace QuickSilver.Hosting;

/// <summary>Fills the options of a node from the container, its section and code, and finds the mistakes in them and in
/// what is registered for the node.</summary>
/// <param name="nodes">The registered nodes.</param>
/// <param name="services">The container.</param>
internal sealed class NodeOptionsSetup(IEnumerable<NodeRegistration> nodes, IServiceProvider services)
    : IConfigureNamedOptions<QuickSilverOptions>, IValidateOptions<QuickSilverOptions>
{
    private const string SectionName = "QuickSilver";

    /// <inheritdoc/>
    public void Configure(QuickSilverOptions options) => Configure(Options.DefaultName, options);

    /// <inheritdoc/>
    public void Configure(string? name, QuickSilverOptions options)
    {
        if (Find(name) is not { } node) return;
        if (services.GetService<ILoggerFactory>() is { } loggers) options.UseLoggerFactory(loggers);
        if (services.GetService<IMeterFactory>() is { } meters) options.UseMeterFactory(meters);
        Fill(node, options);
        if (SectionOf(node) is { } section) node.Bind(section);
    }

    /// <summary>Calls back whenever the configuration of a node may have changed, with what reads the
    /// servers that it names.</summary>
    /// <param name="node">The node.</param>
    /// <param name="look">Called on a thread of the configuration; does not throw.</param>
    /// <returns>Ends the calls; null where there is no configuration.</returns>
    public IDisposable? FollowServers(NodeRegistration node, Action<Func<IReadOnlyList<string>>> look) =>
        SectionOf(node) is { } section
            ? ChangeToken.OnChange(section.GetReloadToken, () => look(() => ServersOf(node)))
            : null;

    private List<string> ServersOf(NodeRegistration node)
    {
        var options = new QuickSilverOptions();
        Fill(node, options);
        return [.. options.Membership.Servers];
    }

    private void Fill(NodeRegistration node, QuickSilverOptions options)
    {
        if (SectionOf(node) is { } section) SectionBinder.Bind(section, options, Others(node));
        foreach (Action<QuickSilverOptions> configure in node.Configurations) configure(options);
    }

    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, QuickSilverOptions options)
    {
        if (Find(name) is not { } node) return ValidateOptionsResult.Skip;
        var findings = new List<string>();
        if (node.Section is { } given && !given.Exists())
            findings.Add($"{given.Path}: the section is not in the configuration");
        if (SectionOf(node) is { } section)
        {
            if (SectionBinder.TextInPlaceOfKeys(section) is { } text) findings.Add($"{section.Path}: {text}");
            findings.AddRange(SectionBinder.Bind(section, new QuickSilverOptions(), Others(node)));
            findings.AddRange(node.Bind(section));
        }
        findings.AddRange(options.Validate());
        findings.AddRange(node.Findings(services.GetService<IServiceProviderIsService>()));
        return findings.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(findings);
    }

    private NodeRegistration? Find(string? name) => nodes.FirstOrDefault(node => node.OptionsName == name);

    private IConfigurationSection? SectionOf(NodeRegistration node)
    {
        if (node.Section is not null) return node.Section;
        string path = node.Key is null ? SectionName : $"{SectionName}:{node.Key}";
        return services.GetService<IConfiguration>()?.GetSection(path);
    }

    // The sections of keyed nodes lie within that of the node without a key, and those of groups within each.
    private HashSet<string> Others(NodeRegistration node)
    {
        IEnumerable<string> keys = node.Key is null && node.Section is null
            ? nodes.Select(static other => other.Key).OfType<string>() : [];
        return keys.Concat(NodeRegistration.Sections).ToHashSet(StringComparer.OrdinalIgnoreCase);
    }
}
