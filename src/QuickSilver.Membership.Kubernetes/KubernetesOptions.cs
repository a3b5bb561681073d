using k8s;

namespace QuickSilver.Membership.Kubernetes;

/// <summary>How QuickSilver uses the API server of Kubernetes. Read once, when they are handed over. All nodes of a
/// cluster use the same <see cref="Namespace"/> and <see cref="LeaseName"/>.</summary>
public sealed class KubernetesOptions
{
    /// <summary>How to reach the API server. Null (default): as a pod does, by the files of its service account. The
    /// caller keeps it unchanged while nodes use it.</summary>
    public KubernetesClientConfiguration? Configuration { get; set; }

    /// <summary>The namespace of the Lease and the Service. Null (default): that of the pod, or of
    /// <see cref="Configuration"/>.</summary>
    public string? Namespace { get; set; }

    /// <summary>The name of the Lease that elects the server. Null (default): "quicksilver-" and the name of the
    /// cluster; of a cluster whose name no object can have, with what is allowed of it and a hash.</summary>
    public string? LeaseName { get; set; }

    /// <summary>How long a lease is valid without a renewal, in whole seconds, rounded up. It is the time without a
    /// server after the serving pod or its machine died; a pod that ends in good order gives it up at once. It is to
    /// outlast a restart of the API server. Default: 15 s.</summary>
    public TimeSpan LeaseDuration { get; set; } = TimeSpan.FromSeconds(15);

    /// <summary>How long the API server may take for one answer. Default: 2 s.</summary>
    public TimeSpan RequestTimeout { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>The headless Service whose endpoints are servers of the membership, or may be. Null (default): none is
    /// asked.</summary>
    public string? Service { get; set; }

    /// <summary>The port of servers at the endpoints of <see cref="Service"/>: the
    /// <see cref="MembershipOptions.Port"/> of the pods. Default: 14999.</summary>
    public int ServicePort { get; set; } = 14_999;

    internal KubernetesOptions Copy() => (KubernetesOptions)MemberwiseClone();

    /// <summary>What is wrong with them; null if nothing is.</summary>
    /// <param name="needsService">True where nothing but the Service is used.</param>
    internal string? FindFault(bool needsService)
    {
        if (Configuration is null && !KubernetesClientConfiguration.IsInCluster())
            return "Configuration: is null, and this process is in no pod with a service account: set it, for example "
                + "to KubernetesClientConfiguration.BuildConfigFromConfigFile()";
        if (Namespace is not null && !KubernetesNames.IsLabel(Namespace))
            return $"Namespace: '{Namespace}' is no name of a namespace: lower-case letters, digits and '-', up to 63";
        if (LeaseName is not null && !KubernetesNames.IsSubdomain(LeaseName))
            return $"LeaseName: '{LeaseName}' is no name of a Lease: lower-case letters, digits, '-' and '.'";
        if (Service is null && needsService) return "Service: is null: set it to the name of the headless Service";
        if (Service is not null && !KubernetesNames.IsLabel(Service))
            return $"Service: '{Service}' is no name of a Service: lower-case letters, digits and '-', at most 63";
        if (ServicePort is < 1 or > 65_535) return $"ServicePort: {ServicePort} is not between 1 and 65535";
        if (LeaseDuration < TimeSpan.FromSeconds(1) || LeaseDuration > TimeSpan.FromHours(1))
            return $"LeaseDuration: {LeaseDuration} is not between a second and an hour";
        return RequestTimeout <= TimeSpan.Zero || RequestTimeout >= LeaseDuration
            ? $"RequestTimeout: {RequestTimeout} is not above zero and below LeaseDuration ({LeaseDuration})"
            : null;
    }

    /// <summary>Refuses options that are not valid.</summary>
    /// <exception cref="ArgumentException">The message names the option.</exception>
    internal void ThrowIfFaulty(bool needsService = false)
    {
        if (FindFault(needsService) is { } fault) throw new ArgumentException($"Kubernetes: {fault}");
    }
}
