using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using QuickSilver;
using QuickSilver.Hosting;

// The namespace of what it extends, so that a program needs no other.
namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers QuickSilver nodes that live as long as the host.</summary>
public static class QuickSilverServiceCollectionExtensions
{
    /// <summary>
    /// Registers a node that starts and stops with the host. Its options come from the section "QuickSilver" of the
    /// host's configuration, if there is one, then from <paramref name="configure"/>. The start of the host validates
    /// them and fails with an <see cref="OptionsValidationException"/> that lists every fault by its path, unknown keys
    /// included. Logger and meter factories come from the container. Inject <see cref="IQuickSilverNode"/>. A second
    /// call adds to the same node.
    /// </summary>
    /// <param name="services">The services of the host.</param>
    /// <param name="configure">Sets options in code, after the section.</param>
    /// <returns>A builder for the groups and handlers of the node.</returns>
    public static QuickSilverBuilder AddQuickSilver(
        this IServiceCollection services, Action<QuickSilverOptions>? configure = null) =>
        Add(services, key: null, section: null, configure);

    /// <summary>Registers a node whose options come from <paramref name="section"/>, which must exist. Otherwise as
    /// the overload above.</summary>
    /// <param name="services">The services of the host.</param>
    /// <param name="section">The section with the options.</param>
    /// <param name="configure">Sets options in code, after the section.</param>
    /// <returns>A builder for the groups and handlers of the node.</returns>
    public static QuickSilverBuilder AddQuickSilver(
        this IServiceCollection services, IConfigurationSection section, Action<QuickSilverOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, key: null, section, configure);
    }

    /// <summary>Registers one of several nodes of a process. Its options come from the section "QuickSilver:KEY". Its
    /// services are keyed: inject <see cref="IQuickSilverNode"/> with the key, and its groups by
    /// <see cref="IQuickSilverNode.GetGroup"/>. Otherwise as <see cref="AddQuickSilver(IServiceCollection,
    /// Action{QuickSilverOptions})"/>.</summary>
    /// <param name="services">The services of the host.</param>
    /// <param name="key">The key of the node's services.</param>
    /// <param name="configure">Sets options in code, after the section.</param>
    /// <exception cref="ArgumentException">The key is null, empty or white space.</exception>
    public static QuickSilverBuilder AddKeyedQuickSilver(
        this IServiceCollection services, string key, Action<QuickSilverOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        return Add(services, key, section: null, configure);
    }

    /// <summary>Registers one of several nodes of a process, with its options from <paramref name="section"/>, which
    /// must exist.</summary>
    /// <param name="services">The services of the host.</param>
    /// <param name="key">The key of the node's services.</param>
    /// <param name="section">The section with the options.</param>
    /// <param name="configure">Sets options in code, after the section.</param>
    /// <returns>A builder for the groups and handlers of the node.</returns>
    /// <exception cref="ArgumentException">The key is null, empty or white space.</exception>
    public static QuickSilverBuilder AddKeyedQuickSilver(
        this IServiceCollection services,
        string key,
        IConfigurationSection section,
        Action<QuickSilverOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(key);
        ArgumentNullException.ThrowIfNull(section);
        return Add(services, key, section, configure);
    }

    private static QuickSilverBuilder Add(
        IServiceCollection services, string? key, IConfigurationSection? section, Action<QuickSilverOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        NodeRegistration registration = Registered(services, key) ?? Register(services, key);
        if (section is not null) registration.Section = section;
        if (configure is not null) registration.Configurations.Add(configure);
        return new QuickSilverBuilder(services, registration);
    }

    private static NodeRegistration? Registered(IServiceCollection services, string? key) =>
        services.Where(static service => service is { IsKeyedService: false })
            .Select(static service => service.ImplementationInstance)
            .OfType<NodeRegistration>()
            .FirstOrDefault(node => node.Key == key);

    private static NodeRegistration Register(IServiceCollection services, string? key)
    {
        var registration = new NodeRegistration(key);
        services.AddSingleton(registration);
        services.AddOptions<QuickSilverOptions>(registration.OptionsName).ValidateOnStart();
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IConfigureOptions<QuickSilverOptions>, NodeOptionsSetup>());
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IValidateOptions<QuickSilverOptions>, NodeOptionsSetup>());
        if (key is null)
        {
            services.AddSingleton(provider => new HostedNode(provider, registration));
            services.AddSingleton<IQuickSilverNode>(static provider => provider.GetRequiredService<HostedNode>());
            services.AddSingleton<IHostedService>(static provider => provider.GetRequiredService<HostedNode>());
        }
        else
        {
            services.AddKeyedSingleton(key, (provider, _) => new HostedNode(provider, registration));
            services.AddKeyedSingleton<IQuickSilverNode>(
                key, static (provider, own) => provider.GetRequiredKeyedService<HostedNode>(own));
            services.AddSingleton<IHostedService>(provider => provider.GetRequiredKeyedService<HostedNode>(key));
        }
        return registration;
    }
}
