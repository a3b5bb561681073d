using k8s.Models;

namespace QuickSilver.Membership.Kubernetes;

/// <summary>A Lease that a campaign holds. Calls come one at a time.</summary>
/// <param name="api">The API server.</param>
/// <param name="time">The clock, for operators who look at the Lease.</param>
/// <param name="cluster">The name of the cluster.</param>
/// <param name="holder">The campaign.</param>
/// <param name="record">The Lease as it was written.</param>
/// <param name="name">Its name.</param>
internal sealed class KubernetesLease(
    KubernetesApi api, TimeProvider time, string cluster, string holder, LeaseRecord record, string name)
    : IMembershipLease
{
    private LeaseRecord _record = record;
    private volatile bool _isGivenUp;

    /// <inheritdoc/>
    public long Term { get; } = record.Term;

    /// <inheritdoc/>
    public TimeSpan Duration { get; } = record.Duration;

    /// <inheritdoc/>
    public ValueTask<bool> RenewAsync(CancellationToken cancellationToken) => _isGivenUp
        ? ValueTask.FromResult(false)
        : WriteAsync(one => one.Renewed(time.GetUtcNow().UtcDateTime), cancellationToken);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_isGivenUp) return;
        _isGivenUp = true;
        try
        {
            await WriteAsync(one => one.GivenUp(time.GetUtcNow().UtcDateTime), CancellationToken.None)
                .ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is IOException or InvalidDataException or ObjectDisposedException)
        {
            // It ends by itself.
        }
    }

    // The version is an older one when an operator has changed the Lease, or an answer was lost: then it is read again,
    // once.
    private async ValueTask<bool> WriteAsync(Func<LeaseRecord, V1Lease> change, CancellationToken cancellationToken)
    {
        for (int attempt = 0; attempt < 2; attempt++)
        {
            V1Lease? written = await api.ReplaceLeaseAsync(change(_record), cancellationToken).ConfigureAwait(false);
            if (written is not null)
            {
                _record = LeaseRecord.Read(written, cluster);
                return true;
            }
            V1Lease? there = await api.FindLeaseAsync(name, cancellationToken).ConfigureAwait(false);
            if (there is null) return false;
            var now = LeaseRecord.Read(there, cluster);
            if (now.Holder != holder || now.Term != Term) return false;
            _record = now;
        }
        return false;
    }
}
