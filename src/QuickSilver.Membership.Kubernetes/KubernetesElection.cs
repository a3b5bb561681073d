using k8s.Models;

namespace QuickSilver.Membership.Kubernetes;

/// <summary>
/// Elects the server of a cluster's membership by a Lease of Kubernetes (coordination.k8s.io/v1). Each change names the
/// version of the Lease that it was made for, so of two campaigns one wins. A process takes the Lease of another after
/// it has seen it unchanged for its duration, by its own clock. Any thread; one instance serves any number of nodes and
/// clusters.
/// <para>
/// Calls throw <see cref="IOException"/> when the API server does not answer or refuses, and
/// <see cref="InvalidDataException"/> when the Lease says what no election wrote. Messages name the server and the
/// Lease.
/// </para>
/// </summary>
public sealed class KubernetesElection : IMembershipElection, IDisposable
{
    private readonly KubernetesOptions _options;
    private readonly KubernetesApi _api;
    private readonly TimeProvider _time;
    private readonly LeaseWatch _watch;

    /// <summary>Creates an election; it connects when it is used.</summary>
    /// <param name="options">How to reach the API server, and what is used there. Later changes of it have no
    /// effect.</param>
    /// <exception cref="ArgumentException">An option is not valid; the message names it.</exception>
    public KubernetesElection(KubernetesOptions options)
        : this(options, TimeProvider.System)
    {
    }

    internal KubernetesElection(KubernetesOptions options, TimeProvider time)
    {
        ArgumentNullException.ThrowIfNull(options);
        options.ThrowIfFaulty();
        _options = options.Copy();
        _api = new KubernetesApi(_options);
        _time = time;
        _watch = new LeaseWatch(time);
    }

    /// <inheritdoc/>
    public async ValueTask<MembershipLeader?> FindLeaderAsync(string cluster, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(cluster);
        string name = NameOf(cluster);
        LeaseRecord? record = await FindAsync(name, cluster, cancellationToken).ConfigureAwait(false);
        return record is not null && _watch.IsHeld(name, record)
            ? new MembershipLeader(record.EndPoint, record.Term)
            : null;
    }

    /// <inheritdoc/>
    public async ValueTask<IMembershipLease?> CampaignAsync(
        MembershipCandidate candidate, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(candidate);
        string name = NameOf(candidate.Cluster);
        LeaseRecord? before = await FindAsync(name, candidate.Cluster, cancellationToken).ConfigureAwait(false);
        if (before is not null && _watch.IsHeld(name, before)) return null;
        long term = LeaseRecord.NextTerm(before, name, candidate.LowestTerm);
        string holder = $"{candidate.Node}/{Guid.NewGuid():N}";
        V1Lease taken = LeaseRecord.Take(
            before, name, candidate, holder, term, _options.LeaseDuration, _time.GetUtcNow().UtcDateTime);
        V1Lease? written = await WriteAsync(
            taken, isNew: before is null, candidate.Cluster, holder, cancellationToken).ConfigureAwait(false);
        return written is null
            ? null
            : new KubernetesLease(
                _api, _time, candidate.Cluster, holder, LeaseRecord.Read(written, candidate.Cluster), name);
    }

    /// <inheritdoc/>
    public string Describe() => $"Kubernetes at {_api.Place} (Leases in namespace {_api.Namespace})";

    /// <summary>Closes the connections. Leases stay until they end or are disposed of, and those can no longer be
    /// renewed.</summary>
    public void Dispose() => _api.Dispose();

    private string NameOf(string cluster) => _options.LeaseName ?? KubernetesNames.LeaseOf(cluster);

    private async Task<LeaseRecord?> FindAsync(string name, string cluster, CancellationToken cancellationToken) =>
        await _api.FindLeaseAsync(name, cancellationToken).ConfigureAwait(false) is { } lease
            ? LeaseRecord.Read(lease, cluster)
            : null;

    // An answer may be lost on its way after the change was made. So who holds the Lease decides.
    private async Task<V1Lease?> WriteAsync(
        V1Lease lease, bool isNew, string cluster, string holder, CancellationToken cancellationToken)
    {
        try
        {
            return isNew
                ? await _api.CreateLeaseAsync(lease, cancellationToken).ConfigureAwait(false)
                : await _api.ReplaceLeaseAsync(lease, cancellationToken).ConfigureAwait(false);
        }
        catch (IOException)
        {
            V1Lease? there = await _api.FindLeaseAsync(lease.Metadata.Name, cancellationToken).ConfigureAwait(false);
            if (there is not null && LeaseRecord.Read(there, cluster).Holder == holder) return there;
            throw;
        }
    }
}
