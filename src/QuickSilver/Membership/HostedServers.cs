using System.Buffers.Binary;
using System.Security.Cryptography;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Membership;

/// <summary>
/// The membership servers of one host, and the connections of each. A host that serves all clusters of a machine routes
/// a connection by the cluster name in its first frame. Host loop only, unless a member says otherwise.
/// </summary>
/// <param name="settings">The settings of the host.</param>
/// <param name="alarms">The alarms of the host's loop.</param>
/// <param name="counters">The counters of the host.</param>
/// <param name="events">Receives refusals, holds, rivals and failures.</param>
/// <param name="strangers">The connections that have not identified themselves.</param>
internal sealed class HostedServers(
    MembershipHostSettings settings,
    AlarmQueue alarms,
    HostCounters counters,
    IMembershipHostEvents events,
    Strangers strangers)
    : IServerLinks, ICoreObserver, IMembershipServerEvents
{
    private static readonly DateTimeOffset FirstTermsBegin = new(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly AddressRule _addresses = new(settings);
    private readonly FrameBuilder _frame = new();
    private readonly Dictionary<string, MembershipServer> _servers = [];
    private readonly Dictionary<long, HostedConnection> _connections = [];
    private Instant _readTo = Instant.Never;
    private bool _isBusy;
    private int _nodes;
    private bool _hasFailed;

    /// <summary>True while a step is under way, as of the last turn. Any thread.</summary>
    public bool IsBusy => Volatile.Read(ref _isBusy);

    /// <summary>The number of registered nodes, as of the last turn. Any thread.</summary>
    public int Nodes => Volatile.Read(ref _nodes);

    /// <summary>Registers an accepted connection, and starts the timeout of its first frame.</summary>
    public void OnOpened(HostedConnection connection, Instant now)
    {
        if (_hasFailed)
        {
            // Its request was queued behind the failed one: nothing else would end it.
            connection.IsClosed = true;
            connection.Link.Close();
            return;
        }
        _connections.Add(connection.Id, connection);
        connection.Hello = new Alarm(alarms, _ => connection.Link.Abort(FrameEnd.Silent));
        connection.Hello.Set(now + settings.HelloTime);
    }

    /// <summary>Routes received frames to their server.</summary>
    public void OnFrames(HostedConnection connection, FrameBatch frames, Instant now)
    {
        while (!connection.IsClosed && frames.TryNext(out ReadOnlySpan<byte> frame))
        {
            if (connection.Server is null && !TryRoute(connection, frame, now)) return;
            connection.Server!.OnFrame(connection.Id, frame, now);
        }
    }

    /// <summary>Reports to the servers that all frames received before an instant have been handled.</summary>
    public void OnRead(Instant upTo)
    {
        _readTo = upTo;
        foreach (MembershipServer server in _servers.Values) server.OnRead(upTo);
    }

    /// <summary>Removes a connection that has ended, and reports its end to its server.</summary>
    public void OnEnded(HostedConnection connection, FrameEnd end, Instant now)
    {
        bool isNews = !connection.IsClosed;
        Forget(connection);
        if (isNews) connection.Server?.OnDisconnected(connection.Id, now, isEnded: end != FrameEnd.Broken);
    }

    /// <summary>Removes members of a name that will not return: see <see cref="MembershipServer.Forget"/>.</summary>
    /// <returns>The number of members removed.</returns>
    public int ForgetMember(string cluster, string name, Instant now) =>
        _servers.TryGetValue(
            settings.ServesAllClusters ? cluster : settings.Server.ClusterName, out MembershipServer? server)
            ? server.Forget(name, now)
            : 0;

    /// <inheritdoc/>
    public void Send(long connection, ReadOnlySpan<byte> frame)
    {
        if (!_connections.TryGetValue(connection, out HostedConnection? known)) return;
        if (MembershipFrames.IsReportRequest(frame)) known.Link.AwaitLong();
        known.Link.Send(frame);
    }

    /// <inheritdoc/>
    public void Close(long connection, MembershipRefusal reason)
    {
        if (!_connections.TryGetValue(connection, out HostedConnection? known)) return;
        if (reason != MembershipRefusal.None && counters.CountRefused(reason))
            events.OnRefused(known.Link.Remote, reason, counters.RefusedFor(reason));
        Forget(known);
        known.Link.Close();
    }

    /// <inheritdoc/>
    public void OnHold(string clusterName, MembershipHold hold, Instant now) => events.OnHold(clusterName, hold);

    /// <inheritdoc/>
    public bool MayName(long connection, NetEndpoint endpoint) =>
        _connections.TryGetValue(connection, out HostedConnection? known)
            && _addresses.MayName(known.Link.RemoteAddress, endpoint);

    /// <inheritdoc/>
    public string IdentityOf(long connection) =>
        _connections.TryGetValue(connection, out HostedConnection? known) ? known.Identity : "";

    /// <inheritdoc/>
    public bool HasStrangers => strangers.Count > 0;

    /// <inheritdoc/>
    public bool MayEnter(long connection, string nodeName, string groupName, bool isPublisher)
    {
        // A name that is refused anyway may contain anything: the application does not see it.
        if (settings.Authorize is not { } authorize || !ServerGroups.IsGoodName(groupName)) return true;
        if (!_connections.TryGetValue(connection, out HostedConnection? known)) return false;
        var request = new AuthorizationRequest(
            known.Identity, nodeName, known.Link.RemoteAddress, groupName, isPublisher);
        try
        {
            return authorize(request);
        }
        catch (Exception thrown)
        {
            events.OnAuthorizeThrew(thrown);
            return false;
        }
    }

    /// <inheritdoc/>
    public void OnTurnEnded(Instant now, bool wasBusy)
    {
        bool isBusy = false;
        int nodes = 0;
        foreach (MembershipServer server in _servers.Values)
        {
            isBusy |= server.IsBusy;
            nodes += server.Statistics.Nodes;
        }
        Volatile.Write(ref _isBusy, isBusy);
        Volatile.Write(ref _nodes, nodes);
    }

    /// <inheritdoc/>
    public void OnStopping(Instant now)
    {
        foreach (MembershipServer server in _servers.Values) server.Stop();
        foreach (HostedConnection connection in _connections.Values)
        {
            connection.IsClosed = true;
            connection.Link.Close();
        }
        _connections.Clear();
    }

    /// <inheritdoc/>
    public void OnFault(Exception fault, Instant now)
    {
        _hasFailed = true;
        events.OnHostFailed(fault);
        foreach (HostedConnection connection in _connections.Values)
        {
            connection.IsClosed = true;
            connection.Link.Close();
        }
        _connections.Clear();
    }

    private bool TryRoute(HostedConnection connection, ReadOnlySpan<byte> frame, Instant now)
    {
        if (settings.Claim is { } claim)
        {
            if (HostClaimFrame.TryRead(frame, FrameKind.HostQuery) is { } other)
            {
                AnswerHost(connection, claim, other);
                return false;
            }
            if (claim.IsUndecided)
            {
                // The node tries again, at this host or at the one that takes precedence.
                Close(connection.Id, MembershipRefusal.None);
                return false;
            }
        }
        if (!MembershipFrames.TryReadHello(frame, out string name))
        {
            Close(connection.Id, MembershipRefusal.BadFrame);
            return false;
        }
        string cluster = settings.ServesAllClusters ? name : settings.Server.ClusterName;
        if (!_servers.TryGetValue(cluster, out MembershipServer? server))
        {
            if (_servers.Count >= settings.MaxClusters && !ForgetUnused())
            {
                Close(connection.Id, MembershipRefusal.Full);
                return false;
            }
            var random = new SeededRandom((ulong)Random.Shared.NextInt64());
            server = new MembershipServer(
                Apart(settings.Server, random) with { ClusterName = cluster }, alarms, random, this);
            server.OnRead(_readTo);
            _servers.Add(cluster, server);
        }
        connection.Hello?.Cancel();
        strangers.Remove(connection);
        connection.Server = server;
        server.OnConnected(connection.Id, now);
        return true;
    }

    private void AnswerHost(HostedConnection connection, HostClaim claim, HostClaimFrame other)
    {
        string place = connection.Link.RemoteAddress?.ToString() ?? connection.Link.Remote;
        if (claim.OnOther(other, place)) events.OnRival(place, other.Nodes);
        claim.ToFrame(Nodes).WriteTo(_frame, FrameKind.HostAnswer);
        connection.Link.Send(_frame.Span);
        Close(connection.Id, MembershipRefusal.None);
    }

    // A peer may invent names at no cost: clusters without nodes must not keep out a real one.
    private bool ForgetUnused()
    {
        var connected = new HashSet<MembershipServer>();
        foreach (HostedConnection connection in _connections.Values)
        {
            if (connection.Server is { } server) connected.Add(server);
        }
        List<string> unused = [];
        foreach ((string name, MembershipServer server) in _servers)
        {
            if (server.Statistics.Nodes == 0 && !connected.Contains(server)) unused.Add(name);
        }
        foreach (string name in unused)
        {
            _servers[name].Stop();
            _servers.Remove(name);
        }
        return unused.Count > 0;
    }

    // The instance distinguishes clusters that share an address pool. Different ports for their first addresses save
    // them reading each other's datagrams.
    private MembershipServerSettings Apart(MembershipServerSettings all, SeededRandom random)
    {
        int skipped = (int)random.NextBelow((ulong)(all.PortCount / 2));
        return all with
        {
            PortFirst = (ushort)(all.PortFirst + skipped),
            PortCount = all.PortCount - skipped,
            // An unset clock is before that date; 0 is not a valid term.
            FirstTerm = (uint)Math.Max(1, (TimeProvider.System.GetUtcNow() - FirstTermsBegin).TotalSeconds),
            FoundingGrace =
                settings.ServesAllClusters ? ReconnectPace.LoopbackFoundingGrace : ReconnectPace.HostFoundingGrace,
            DrawSecret = DrawSecret,
            Events = this,
        };
    }

    // The servers' own generators are unsuitable: they also draw ids, and one known number reveals all that follow.
    private static UInt128 DrawSecret()
    {
        Span<byte> secret = stackalloc byte[16];
        RandomNumberGenerator.Fill(secret);
        return BinaryPrimitives.ReadUInt128LittleEndian(secret);
    }

    private void Forget(HostedConnection connection)
    {
        connection.IsClosed = true;
        connection.Hello?.Cancel();
        _connections.Remove(connection.Id);
    }
}
