using QuickSilver.Membership.Kubernetes;

// The namespace of what it extends, so that a program needs no other.
namespace QuickSilver;

/// <summary>Membership on Kubernetes.</summary>
public static class KubernetesMembershipOptionsExtensions
{
    /// <summary>Lets the nodes of the cluster elect their server by a Lease of Kubernetes: sets
    /// <see cref="MembershipOptions.Mode"/> to <see cref="MembershipMode.Elected"/>. With
    /// <see cref="KubernetesOptions.Service"/> its endpoints are asked besides, while the API server names nobody. Each
    /// node has connections of its own, which end with it. Connects to nothing.</summary>
    /// <param name="options">The options of a node.</param>
    /// <param name="configure">Sets the options of the election; null for none.</param>
    /// <returns>The options.</returns>
    /// <exception cref="ArgumentException">An option is not valid, or this process is in no pod; the message names
    /// it.</exception>
    public static MembershipOptions UseKubernetes(
        this MembershipOptions options, Action<KubernetesOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        KubernetesOptions kubernetes = Make(configure, needsService: false);
        options.UseElection(() => new KubernetesElection(kubernetes));
        if (kubernetes.Service is not null) options.Discovery.Add(() => new KubernetesDiscovery(kubernetes));
        return options;
    }

    /// <summary>Finds servers at the endpoints of a headless Service, without an election: for clients of a
    /// <see cref="MembershipMode.Host"/>. Connects to nothing.</summary>
    /// <param name="options">The options of a node.</param>
    /// <param name="service">The name of the Service.</param>
    /// <param name="configure">Sets further options; null for none.</param>
    /// <returns>The options.</returns>
    /// <exception cref="ArgumentException">An option is not valid, or this process is in no pod; the message names
    /// it.</exception>
    public static DiscoveryOptions AddKubernetes(
        this DiscoveryOptions options, string service, Action<KubernetesOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        KubernetesOptions kubernetes = Make(
            made =>
            {
                made.Service = service;
                configure?.Invoke(made);
            },
            needsService: true);
        options.Add(() => new KubernetesDiscovery(kubernetes));
        return options;
    }

    private static KubernetesOptions Make(Action<KubernetesOptions>? configure, bool needsService)
    {
        var kubernetes = new KubernetesOptions();
        configure?.Invoke(kubernetes);
        kubernetes.ThrowIfFaulty(needsService);
        return kubernetes.Copy();
    }
}
