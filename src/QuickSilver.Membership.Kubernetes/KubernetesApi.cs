using System.Net;
using System.Text.Json;
using k8s;
using k8s.Autorest;
using k8s.Models;

namespace QuickSilver.Membership.Kubernetes;

/// <summary>What is asked of the API server. Connects when it is used. Calls throw <see cref="IOException"/> when it
/// does not answer or refuses; the message says what is missing. Any thread.</summary>
internal sealed class KubernetesApi : IDisposable
{
    private readonly k8s.Kubernetes _client;
    private readonly TimeSpan _limit;

    /// <summary>Creates it.</summary>
    /// <param name="options">Options without a fault.</param>
    public KubernetesApi(KubernetesOptions options)
    {
        KubernetesClientConfiguration configuration =
            options.Configuration ?? KubernetesClientConfiguration.InClusterConfig();
        _client = new k8s.Kubernetes(configuration);
        _limit = options.RequestTimeout;
        Namespace = options.Namespace ?? configuration.Namespace ?? "default";
        Place = new Uri(configuration.Host).Authority;
    }

    /// <summary>The namespace of the objects.</summary>
    public string Namespace { get; }

    /// <summary>"10.96.0.1:443".</summary>
    public string Place { get; }

    /// <summary>Reads a Lease; null if there is none.</summary>
    public Task<V1Lease?> FindLeaseAsync(string name, CancellationToken stop) => CallAsync<V1Lease?>(
        $"get leases '{name}'", [HttpStatusCode.NotFound], async limit =>
            await _client.CoordinationV1.ReadNamespacedLeaseAsync(name, Namespace, cancellationToken: limit)
                .ConfigureAwait(false), stop);

    /// <summary>Makes a Lease; null if there is one already.</summary>
    public Task<V1Lease?> CreateLeaseAsync(V1Lease lease, CancellationToken stop) => CallAsync<V1Lease?>(
        $"create leases '{lease.Metadata.Name}'", [HttpStatusCode.Conflict], async limit =>
            await _client.CoordinationV1.CreateNamespacedLeaseAsync(lease, Namespace, cancellationToken: limit)
                .ConfigureAwait(false), stop);

    /// <summary>Replaces a Lease as it was read; null if it has changed since, or is gone.</summary>
    public Task<V1Lease?> ReplaceLeaseAsync(V1Lease lease, CancellationToken stop) => CallAsync<V1Lease?>(
        $"update leases '{lease.Metadata.Name}'", [HttpStatusCode.Conflict, HttpStatusCode.NotFound], async limit =>
            await _client.CoordinationV1
                .ReplaceNamespacedLeaseAsync(lease, lease.Metadata.Name, Namespace, cancellationToken: limit)
                .ConfigureAwait(false), stop);

    /// <summary>Reads the endpoints of a Service.</summary>
    public async Task<IList<V1EndpointSlice>> ListEndpointsAsync(string service, CancellationToken stop)
    {
        V1EndpointSliceList? list = await CallAsync<V1EndpointSliceList?>(
            $"list endpointslices of '{service}'", [], async limit =>
                await _client.DiscoveryV1.ListNamespacedEndpointSliceAsync(
                    Namespace, labelSelector: $"kubernetes.io/service-name={service}", cancellationToken: limit)
                    .ConfigureAwait(false), stop).ConfigureAwait(false);
        return list?.Items ?? [];
    }

    /// <inheritdoc/>
    public void Dispose() => _client.Dispose();

    private async Task<T?> CallAsync<T>(
        string what, HttpStatusCode[] none, Func<CancellationToken, Task<T>> call, CancellationToken stop)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(stop);
        limit.CancelAfter(_limit);
        try
        {
            return await call(limit.Token).ConfigureAwait(false);
        }
        catch (HttpOperationException answer)
        {
            if (none.Contains(answer.Response.StatusCode)) return default;
            throw new IOException(Explain(what, answer.Response.StatusCode, answer.Response.Content), answer);
        }
        catch (OperationCanceledException)
        {
            stop.ThrowIfCancellationRequested();
            throw new IOException($"{Place} does not answer within {_limit.TotalSeconds:0.#} s ({what})");
        }
        catch (Exception failure) when (failure is HttpRequestException or IOException or JsonException)
        {
            throw new IOException($"{Place} does not answer ({what}): {failure.GetBaseException().Message}", failure);
        }
    }

    private string Explain(string what, HttpStatusCode status, string? content)
    {
        string reason = MessageIn(content);
        return status switch
        {
            HttpStatusCode.Forbidden =>
                $"{Place} forbids to {what} in namespace '{Namespace}': give the service account a Role with the "
                + $"verbs get, create and update on leases, and list on endpointslices ({reason})",
            HttpStatusCode.Unauthorized =>
                $"{Place} does not accept the token of the service account ({reason})",
            HttpStatusCode.NotFound => $"{Place} has no namespace '{Namespace}', or no such kind of object ({reason})",
            _ => $"{Place} answers {(int)status} when asked to {what}: {reason}",
        };
    }

    // A Status object, or whatever stands between this process and the API server has to say.
    private static string MessageIn(string? content)
    {
        const int Most = 300;
        string text = content ?? "";
        try
        {
            using var status = JsonDocument.Parse(text);
            if (status.RootElement.ValueKind == JsonValueKind.Object
                && status.RootElement.TryGetProperty("message", out JsonElement message)
                && message.ValueKind == JsonValueKind.String)
                text = message.GetString()!;
        }
        catch (JsonException)
        {
            // It is no object.
        }
        text = string.Concat(text.Where(static one => !char.IsControl(one)));
        return text.Length == 0 ? "without a reason" : text.Length <= Most ? text : text[..Most];
    }
}
