using System.Diagnostics;

namespace QuickSilver.Tests.Membership.Election;

/// <summary>
/// A store of leases in this process, for one cluster. It can fall silent, fail, and take a lease from its holder. Any
/// thread.
/// </summary>
internal sealed class TestElection(TimeSpan duration) : IMembershipElection, IDisposable
{
    private readonly Lock _lock = new();
    private readonly List<(long Term, string EndPoint)> _granted = [];
    private Lease? _holder;
    private bool _isSilent;
    private Exception? _failure;

    /// <summary>The terms that were granted, and the endpoints of their holders.</summary>
    public IReadOnlyList<(long Term, string EndPoint)> Granted
    {
        get
        {
            lock (_lock) return [.. _granted];
        }
    }

    /// <summary>True once a node has disposed of it.</summary>
    public bool IsDisposed { get; private set; }

    /// <summary>How many renewals succeeded.</summary>
    public int Renewals { get; private set; }

    /// <summary>True when no call ends before it is cancelled; some are not cancelled either.</summary>
    public bool IsSilent
    {
        get => Volatile.Read(ref _isSilent);
        set => Volatile.Write(ref _isSilent, value);
    }

    /// <inheritdoc/>
    public void Dispose() => IsDisposed = true;

    /// <summary>What each call throws; null for nothing.</summary>
    public Exception? Failure
    {
        get => Volatile.Read(ref _failure);
        set => Volatile.Write(ref _failure, value);
    }

    public string Describe() => "the test's store";

    public async ValueTask<MembershipLeader?> FindLeaderAsync(string cluster, CancellationToken cancellationToken)
    {
        await AnswerAsync(cancellationToken);
        lock (_lock) return Holder is { } holder ? new MembershipLeader(holder.EndPoint, holder.Term) : null;
    }

    public async ValueTask<IMembershipLease?> CampaignAsync(
        MembershipCandidate candidate, CancellationToken cancellationToken)
    {
        await AnswerAsync(cancellationToken);
        lock (_lock)
        {
            if (Holder is not null) return null;
            long term = Math.Max(candidate.LowestTerm, _granted.Count == 0 ? 0 : _granted[^1].Term + 1);
            _granted.Add((term, candidate.EndPoint));
            _holder = new Lease(this, term, candidate.EndPoint);
            return _holder;
        }
    }

    /// <summary>Takes the lease from its holder, as a store that was restored from a backup may.</summary>
    public void TakeAway()
    {
        lock (_lock) _holder = null;
    }

    private Lease? Holder => _holder is { IsValid: true } holder ? holder : null;

    private Task AnswerAsync(CancellationToken cancellationToken)
    {
        if (Failure is { } failure) return Task.FromException(failure);
        return IsSilent ? Task.Delay(Timeout.Infinite, cancellationToken) : Task.CompletedTask;
    }

    private sealed class Lease(TestElection store, long term, string endPoint) : IMembershipLease
    {
        private long _since = Stopwatch.GetTimestamp();

        public long Term => term;

        public string EndPoint => endPoint;

        public TimeSpan Duration => store.Duration;

        public bool IsValid => Stopwatch.GetElapsedTime(_since) < store.Duration;

        public async ValueTask<bool> RenewAsync(CancellationToken cancellationToken)
        {
            await store.AnswerAsync(cancellationToken);
            lock (store._lock)
            {
                if (store.Holder != this) return false;
                _since = Stopwatch.GetTimestamp();
                store.Renewals++;
                return true;
            }
        }

        public ValueTask DisposeAsync()
        {
            lock (store._lock)
            {
                if (store._holder == this) store._holder = null;
            }
            return ValueTask.CompletedTask;
        }
    }

    private TimeSpan Duration => duration;
}
