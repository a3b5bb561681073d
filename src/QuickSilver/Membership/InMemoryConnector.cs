using System.Net;

namespace QuickSilver.Membership;

/// <summary>
/// The membership of nodes within one process (<see cref="TransportKind.InMemory"/>). One node of a cluster serves at a
/// port that the kernel chooses; the others find it in a table of the process. Programs that run at the same time, such
/// as test runs, are thus independent of each other and of nodes on sockets. That holds for any configured port. The
/// port in the options and the name of the cluster only distinguish memberships within the process. When the serving
/// node ends, another one serves.
/// </summary>
/// <param name="settings">The settings for a host, if this node becomes one. The port of the endpoint and the name of
/// the cluster are the key in the table.</param>
/// <param name="hostEvents">Receives the events of that host.</param>
internal sealed class InMemoryConnector(MembershipHostSettings settings, IMembershipHostEvents hostEvents)
    : MembershipConnector(security: null)
{
    private static readonly Lock Gate = new();
    private static readonly Dictionary<(int Port, string Cluster), MembershipHost> Serving = [];

    private readonly List<MembershipHost> _started = [];
    private readonly (int Port, string Cluster) _key = (settings.EndPoint.Port, settings.Server.ClusterName);

    /// <inheritdoc/>
    public override MembershipHost? Host
    {
        get
        {
            lock (Gate) return _started.Find(static host => host.IsRunning);
        }
    }

    /// <inheritdoc/>
    public override async ValueTask<Reached> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        (IPEndPoint? server, string refusal) = FindServer(events, stop);
        if (server is null) return Reached.Failed(refusal);
        return await TryConnectAsync(server.Address.ToString(), server.Port, events, stop).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override async ValueTask StopAsync()
    {
        MembershipHost[] started;
        lock (Gate)
        {
            started = [.. _started];
            // Removed before it closes its connections, because the nodes that lose them search this table.
            if (Serving.TryGetValue(_key, out MembershipHost? host) && _started.Contains(host)) Serving.Remove(_key);
        }
        foreach (MembershipHost host in started) await host.DisposeAsync().ConfigureAwait(false);
    }

    // The first node that finds a failed host replaces it.
    private (IPEndPoint? Server, string Refusal) FindServer(ILinkEvents events, CancellationToken stop)
    {
        lock (Gate)
        {
            if (Serving.TryGetValue(_key, out MembershipHost? serving) && serving.IsRunning)
                return (serving.EndPoint, "");
            if (stop.IsCancellationRequested) return (null, "the node is stopping");
            var anyPort = new IPEndPoint(settings.EndPoint.Address, 0);
            MembershipHost? host = MembershipHost.TryStart(
                settings with { EndPoint = anyPort }, hostEvents, out string refusal);
            if (host is null) return (null, refusal);
            _started.Add(host);
            Serving[_key] = host;
            events.OnServing(host.EndPoint.ToString());
            return (host.EndPoint, "");
        }
    }
}
