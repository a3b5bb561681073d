using Etcdserverpb;
using Google.Protobuf;
using Mvccpb;

namespace QuickSilver.Membership.Etcd;

/// <summary>
/// Elects the server of a cluster's membership by etcd (version 3.4 or later). A cluster has two keys: "leader", which
/// goes with the lease of its holder, and "term", a number that stays. One transaction takes both. Any thread. One
/// instance serves any number of nodes and clusters, and keeps one connection to etcd while it is used; a connection
/// that is idle is closed after a minute or so, disposed of or not.
/// <para>
/// Calls throw <see cref="IOException"/> when no member of etcd answers or etcd refuses, and
/// <see cref="InvalidDataException"/> when a key has a value that no election wrote. Messages name the member or the
/// key.
/// </para>
/// </summary>
public sealed class EtcdElection : IMembershipElection, IAsyncDisposable
{
    private readonly EtcdOptions _options;
    private readonly EtcdStore _store;

    /// <summary>Creates an election; it connects when it is used.</summary>
    /// <param name="options">How to reach etcd. Later changes of it have no effect.</param>
    /// <exception cref="ArgumentException">An option is not valid; the message names it.</exception>
    public EtcdElection(EtcdOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options.FindFault() is { } fault) throw new ArgumentException($"etcd: {fault}", nameof(options));
        _options = options.Copy();
        _store = new EtcdStore(_options);
    }

    /// <inheritdoc/>
    public async ValueTask<MembershipLeader?> FindLeaderAsync(string cluster, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(cluster);
        KeyValue? leader = await _store
            .FindAsync(EtcdKeys.Of(_options.Prefix, cluster).Leader, cancellationToken).ConfigureAwait(false);
        return leader is null ? null : LeaderValue.Read(leader);
    }

    /// <inheritdoc/>
    public async ValueTask<IMembershipLease?> CampaignAsync(
        MembershipCandidate candidate, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(candidate);
        var keys = EtcdKeys.Of(_options.Prefix, candidate.Cluster);
        (KeyValue? leader, KeyValue? stored) = await _store
            .FindAsync(keys.Leader, keys.Term, cancellationToken).ConfigureAwait(false);
        if (leader is not null) return null;
        long term = TermValue.Next(keys.Term, stored, candidate.LowestTerm);
        LeaseGrantResponse granted = await _store
            .GrantAsync(_options.LeaseDuration, cancellationToken).ConfigureAwait(false);
        var lease = new EtcdLease(_store, keys.Leader, granted, term);
        bool isElected = false;
        try
        {
            TxnRequest taking = Take(keys, stored?.ModRevision ?? 0, granted.ID, term, candidate);
            isElected = await TakeAsync(taking, keys.Leader, granted.ID, cancellationToken).ConfigureAwait(false);
            return isElected ? lease : null;
        }
        finally
        {
            // A caller who waits no longer has the lease end by itself.
            if (!isElected && !cancellationToken.IsCancellationRequested)
                await lease.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public string Describe() => _store.Describe();

    /// <summary>Closes the connections. Leases stay until they end or are disposed of, and those can no longer be
    /// renewed.</summary>
    public ValueTask DisposeAsync()
    {
        _store.Dispose();
        return ValueTask.CompletedTask;
    }

    // Both keys as they were read, or none: the term was taken by nobody since, and nobody serves.
    private static TxnRequest Take(
        EtcdKeys keys, long termRevision, long lease, long term, MembershipCandidate candidate) => new()
        {
            Compare =
        {
            new Compare
            {
                Key = keys.Leader,
                Target = Compare.Types.CompareTarget.Create,
                Result = Compare.Types.CompareResult.Equal,
                CreateRevision = 0,
            },
            new Compare
            {
                Key = keys.Term,
                Target = Compare.Types.CompareTarget.Mod,
                Result = Compare.Types.CompareResult.Equal,
                ModRevision = termRevision,
            },
        },
            Success =
        {
            Put(keys.Leader, LeaderValue.Write(candidate, term), lease),
            Put(keys.Term, TermValue.Write(term), lease: 0),
        },
        };

    private static RequestOp Put(ByteString key, ByteString value, long lease) =>
        new() { RequestPut = new PutRequest { Key = key, Value = value, Lease = lease } };

    // An answer may be lost on its way after the transaction was made, and the transaction be tried again at the next
    // member of etcd, in vain. So whose the key is decides.
    private async Task<bool> TakeAsync(
        TxnRequest taking, ByteString leaderKey, long lease, CancellationToken cancellationToken)
    {
        try
        {
            if (await _store.CommitAsync(taking, cancellationToken).ConfigureAwait(false)) return true;
        }
        catch (EtcdUnansweredException)
        {
        }
        KeyValue? leader = await _store.FindAsync(leaderKey, cancellationToken).ConfigureAwait(false);
        return leader?.Lease == lease;
    }
}
