using Etcdserverpb;
using Google.Protobuf;
using Mvccpb;

namespace QuickSilver.Membership.Etcd;

/// <summary>A lease of etcd, with the key of its cluster's leader.</summary>
/// <param name="store">etcd.</param>
/// <param name="leaderKey">The key.</param>
/// <param name="granted">What etcd granted.</param>
/// <param name="term">The term.</param>
internal sealed class EtcdLease(EtcdStore store, ByteString leaderKey, LeaseGrantResponse granted, long term)
    : IMembershipLease
{
    private volatile bool _isGivenUp;

    /// <inheritdoc/>
    public long Term => term;

    /// <inheritdoc/>
    public TimeSpan Duration { get; } = TimeSpan.FromSeconds(granted.TTL);

    /// <inheritdoc/>
    public async ValueTask<bool> RenewAsync(CancellationToken cancellationToken)
    {
        if (_isGivenUp || !await store.RenewAsync(granted.ID, cancellationToken).ConfigureAwait(false)) return false;
        // An operator may have deleted the key: then another process can be elected although this lease lives.
        KeyValue? leader = await store.FindAsync(leaderKey, cancellationToken).ConfigureAwait(false);
        return leader?.Lease == granted.ID;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_isGivenUp) return;
        _isGivenUp = true;
        try
        {
            await store.RevokeAsync(granted.ID, CancellationToken.None).ConfigureAwait(false);
        }
        catch (Exception failure) when (failure is IOException or ObjectDisposedException)
        {
            // It ends by itself.
        }
    }
}
