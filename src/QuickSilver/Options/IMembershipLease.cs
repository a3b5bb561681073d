namespace QuickSilver;

/// <summary>
/// The lease by which one process serves a cluster's membership, granted by an <see cref="IMembershipElection"/>.
/// QuickSilver renews it three times in each <see cref="Duration"/>, and counts it as valid from the instant before
/// each successful call. Calls come from pool threads, one at a time. Disposal gives the lease up: another process can
/// have it at once. QuickSilver disposes of it after the server has stopped.
/// </summary>
public interface IMembershipLease : IAsyncDisposable
{
    /// <summary>The term: higher than each term granted before for the cluster, and at least
    /// <see cref="MembershipCandidate.LowestTerm"/>. At most 16,777,215.</summary>
    long Term { get; }

    /// <summary>How long the lease is valid, at least, from the instant at which the campaign or the latest renewal was
    /// called. A second or more.</summary>
    TimeSpan Duration { get; }

    /// <summary>Renews the lease for <see cref="Duration"/> from now.</summary>
    /// <param name="cancellationToken">Cancels the call, at the latest when the lease has ended.</param>
    /// <returns>False when the lease is lost: this process stops serving at once.</returns>
    ValueTask<bool> RenewAsync(CancellationToken cancellationToken);
}
