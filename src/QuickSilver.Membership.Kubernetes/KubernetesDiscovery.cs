using k8s.Models;

namespace QuickSilver.Membership.Kubernetes;

/// <summary>Finds servers of the membership at the endpoints of a headless Service: those that are ready first. Any
/// thread; one instance serves any number of nodes.</summary>
public sealed class KubernetesDiscovery : IMembershipDiscovery, IDisposable
{
    private const int MostEndpoints = 256;

    private readonly KubernetesOptions _options;
    private readonly KubernetesApi _api;

    /// <summary>Creates it; it connects when it is used.</summary>
    /// <param name="options">How to reach the API server, and the Service. Later changes of it have no effect.</param>
    /// <exception cref="ArgumentException">An option is not valid; the message names it.</exception>
    public KubernetesDiscovery(KubernetesOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.ThrowIfFaulty(needsService: true);
        _options = options.Copy();
        _api = new KubernetesApi(_options);
    }

    /// <inheritdoc/>
    public async ValueTask<IReadOnlyList<string>> FindServersAsync(string cluster, CancellationToken cancellationToken)
    {
        IList<V1EndpointSlice> slices = await _api
            .ListEndpointsAsync(_options.Service!, cancellationToken).ConfigureAwait(false);
        IEnumerable<V1Endpoint> endpoints = slices
            .Where(static slice => slice.AddressType is "IPv4" or "IPv6")
            .SelectMany(static slice => slice.Endpoints ?? [])
            .OrderBy(static one => one.Conditions?.Ready == false);
        return
        [
            .. endpoints.SelectMany(static one => one.Addresses ?? []).Distinct().Take(MostEndpoints)
                .Select(address => address.Contains(':', StringComparison.Ordinal)
                    ? $"[{address}]:{_options.ServicePort}"
                    : $"{address}:{_options.ServicePort}"),
        ];
    }

    /// <inheritdoc/>
    public string Describe() =>
        $"the Service '{_options.Service}' in namespace {_api.Namespace} of Kubernetes at {_api.Place}";

    /// <summary>Closes the connections.</summary>
    public void Dispose() => _api.Dispose();
}
