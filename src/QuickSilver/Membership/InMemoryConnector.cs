using System.Net;
using System.Net.Sockets;

namespace QuickSilver.Membership;

/// <summary>
/// The membership of nodes that reach each other within their process only (<see cref="TransportKind.InMemory"/>): one of them serves, at a port that
/// the kernel chooses, and the others know it by a table of the process. So programs that do this side by side, as the test runs of several projects
/// are, have nothing to do with each other, whatever port they name; nor with nodes on sockets. The port that a node names only tells one such
/// membership of its process from another. When the serving node goes, another serves.
/// </summary>
/// <param name="settings">The host's, should this node become it; of the endpoint, the port is the table's key.</param>
/// <param name="hostEvents">Told by the host.</param>
internal sealed class InMemoryConnector(MembershipHostSettings settings, IMembershipHostEvents hostEvents) : MembershipConnector
{
    private static readonly Lock Choosing = new();
    private static readonly Dictionary<int, MembershipHost> Serving = [];

    private readonly List<MembershipHost> _started = [];

    /// <inheritdoc/>
    public override MembershipHost? Host
    {
        get
        {
            lock (Choosing) return _started.Find(static host => host.IsRunning);
        }
    }

    /// <inheritdoc/>
    public override async ValueTask<(Socket? Socket, string Failure)> TryConnectAsync(ILinkEvents events, CancellationToken stop)
    {
        (IPEndPoint? server, string refusal) = FindServer(events, stop);
        if (server is null) return (null, refusal);
        return await TryConnectAsync(server.Address.ToString(), server.Port, events, stop).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        MembershipHost[] started;
        lock (Choosing)
        {
            started = [.. _started];
            // Before it closes its connections: those who lose them look here.
            if (Serving.TryGetValue(settings.EndPoint.Port, out MembershipHost? host) && _started.Contains(host))
                Serving.Remove(settings.EndPoint.Port);
        }
        foreach (MembershipHost host in started) await host.DisposeAsync().ConfigureAwait(false);
    }

    // A host that has failed by itself is replaced by whoever comes first.
    private (IPEndPoint? Server, string Refusal) FindServer(ILinkEvents events, CancellationToken stop)
    {
        lock (Choosing)
        {
            if (Serving.TryGetValue(settings.EndPoint.Port, out MembershipHost? serving) && serving.IsRunning) return (serving.EndPoint, "");
            if (stop.IsCancellationRequested) return (null, "the node is stopping");
            var anyPort = new IPEndPoint(settings.EndPoint.Address, 0);
            MembershipHost? host = MembershipHost.TryStart(settings with { EndPoint = anyPort }, hostEvents, out string refusal);
            if (host is null) return (null, refusal);
            _started.Add(host);
            Serving[settings.EndPoint.Port] = host;
            events.OnServing(host.EndPoint.ToString());
            return (host.EndPoint, "");
        }
    }
}
