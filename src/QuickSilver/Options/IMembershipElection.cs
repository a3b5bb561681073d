namespace QuickSilver;

/// <summary>
/// Decides which process serves a cluster's membership (<see cref="MembershipMode.Elected"/>), by a store that all
/// nodes reach and that grants leases, such as a coordination service. QuickSilver asks it who serves, campaigns when
/// nobody does, renews the lease of the server, and stops the server before another can hold the lease.
/// <para>
/// An implementation keeps, for each cluster: the term, the lease, and the endpoint of its holder. It has no timers
/// and no thread: QuickSilver calls it at the right times. One instance may serve several nodes.
/// Calls come from pool threads, at most one at a time for each node; they may take as long as they need, and are
/// cancelled when they take too long. Any exception means that the store does not answer now; its message is shown to
/// the operator, and the call is repeated after a pause.
/// </para>
/// </summary>
public interface IMembershipElection
{
    /// <summary>Reads who serves a cluster. Called when a node has no connection to a server.</summary>
    /// <param name="cluster">The name of the cluster.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <returns>The holder of the lease, alive or not; null when nobody holds a lease that is valid.</returns>
    ValueTask<MembershipLeader?> FindLeaderAsync(string cluster, CancellationToken cancellationToken);

    /// <summary>Tries once to become the server of a cluster. Called when nobody serves.</summary>
    /// <param name="candidate">The cluster, and the endpoint to serve at.</param>
    /// <param name="cancellationToken">Cancels the call. A lease granted anyway must end by itself.</param>
    /// <returns>The lease; null when another process holds it. At no time do two processes hold leases of one cluster
    /// that are both valid.</returns>
    ValueTask<IMembershipLease?> CampaignAsync(MembershipCandidate candidate, CancellationToken cancellationToken);

    /// <summary>Names the store, with its address, for errors and logs: "etcd at 10.0.0.5:2379".</summary>
    string Describe();
}
