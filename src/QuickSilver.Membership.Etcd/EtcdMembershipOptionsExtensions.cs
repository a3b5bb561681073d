using QuickSilver.Membership.Etcd;

// The namespace of what it extends, so that a program needs no other.
namespace QuickSilver;

/// <summary>Membership whose server is elected by etcd.</summary>
public static class EtcdMembershipOptionsExtensions
{
    /// <summary>Lets the nodes of the cluster elect their server by etcd, without users and certificates.</summary>
    /// <param name="options">The options of a node.</param>
    /// <param name="endpoints">The members of etcd: <see cref="EtcdOptions.Endpoints"/>.</param>
    /// <returns>The options.</returns>
    /// <exception cref="ArgumentException">There is no endpoint, or one is not HOST:PORT.</exception>
    public static MembershipOptions UseEtcd(this MembershipOptions options, params string[] endpoints)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        return options.UseEtcd(etcd =>
        {
            foreach (string endpoint in endpoints) etcd.Endpoints.Add(endpoint);
        });
    }

    /// <summary>Lets the nodes of the cluster elect their server by etcd: sets <see cref="MembershipOptions.Mode"/> to
    /// <see cref="MembershipMode.Elected"/>. Each node has connections of its own, which end with it. Connects to
    /// nothing.</summary>
    /// <param name="options">The options of a node.</param>
    /// <param name="configure">Sets the options of the election.</param>
    /// <returns>The options.</returns>
    /// <exception cref="ArgumentException">An option of the election is not valid; the message names it.</exception>
    public static MembershipOptions UseEtcd(this MembershipOptions options, Action<EtcdOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(configure);
        var etcd = new EtcdOptions();
        configure(etcd);
        if (etcd.FindFault() is { } fault) throw new ArgumentException($"etcd: {fault}", nameof(configure));
        EtcdOptions own = etcd.Copy();
        return options.UseElection(() => new EtcdElection(own));
    }
}
