namespace QuickSilver;

/// <summary>
/// Finds the addresses of a cluster's membership servers, from a source that knows them: a registry, a file, the
/// interface of a cloud. QuickSilver asks while a node looks for its server, and tries the addresses beside those of
/// <see cref="MembershipOptions.Servers"/>. It asks again at most once a second, so an answer follows changes
/// without a notice of them.
/// <para>
/// An address is an offer alone: what answers there has to prove itself as any other server. An implementation has
/// no timers and no thread. One instance may serve several nodes. Calls come from pool threads, one at a time for each
/// node. Any exception means that the source does not answer now. Its message is logged once (record 1138), and the
/// last answer stays in use.
/// </para>
/// </summary>
public interface IMembershipDiscovery
{
    /// <summary>Finds the addresses at which servers of a cluster may be.</summary>
    /// <param name="cluster">The name of the cluster.</param>
    /// <param name="cancellationToken">Cancels the call, after 3 s at the latest.</param>
    /// <returns>Addresses as "host:port", best first; none if there is none now. What is no address is left
    /// out.</returns>
    ValueTask<IReadOnlyList<string>> FindServersAsync(string cluster, CancellationToken cancellationToken);

    /// <summary>Names the source for errors and logs: "the registry at 10.0.0.5".</summary>
    string Describe();
}
