using System.Buffers.Binary;
using System.Security.Cryptography;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Membership;

/// <summary>
/// The membership servers of one host, and which connection belongs to which: routed by the cluster's name in the first frame where the host serves
/// all clusters of a machine. Host loop only.
/// </summary>
/// <param name="settings">The host's.</param>
/// <param name="alarms">Of the host's loop.</param>
/// <param name="counters">The host's.</param>
/// <param name="events">Told of refusals.</param>
/// <param name="strangers">Connections that have not said who they are.</param>
internal sealed class HostedServers(
    MembershipHostSettings settings, AlarmQueue alarms, HostCounters counters, IMembershipHostEvents events, Strangers strangers)
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

    /// <summary>True while some step is under way, as of the last turn. Any thread.</summary>
    public bool IsBusy => Volatile.Read(ref _isBusy);

    /// <summary>Registered nodes, as of the last turn. Any thread.</summary>
    public int Nodes => Volatile.Read(ref _nodes);

    /// <summary>A connection has been accepted.</summary>
    public void OnOpened(HostedConnection connection, Instant now)
    {
        if (_hasFailed)
        {
            // It stood behind what failed in the queue: nobody would ever end it.
            connection.IsClosed = true;
            connection.Link.Close();
            return;
        }
        _connections.Add(connection.Id, connection);
        connection.Hello = new Alarm(alarms, _ => connection.Link.Abort(FrameEnd.Silent));
        connection.Hello.Set(now + settings.HelloTime);
    }

    /// <summary>Frames have come.</summary>
    public void OnFrames(HostedConnection connection, FrameBatch frames, Instant now)
    {
        while (!connection.IsClosed && frames.TryNext(out ReadOnlySpan<byte> frame))
        {
            if (connection.Server is null && !TryRoute(connection, frame, now)) return;
            connection.Server!.OnFrame(connection.Id, frame, now);
        }
    }

    /// <summary>All that came until an instant has been handed in.</summary>
    public void OnRead(Instant upTo)
    {
        _readTo = upTo;
        foreach (MembershipServer server in _servers.Values) server.OnRead(upTo);
    }

    /// <summary>A connection has ended.</summary>
    public void OnEnded(HostedConnection connection, FrameEnd end, Instant now)
    {
        bool isNews = !connection.IsClosed;
        Forget(connection);
        if (isNews) connection.Server?.OnDisconnected(connection.Id, now, isEnded: end != FrameEnd.Broken);
    }

    /// <summary>Members of a name are gone for good: see <see cref="MembershipServer.Forget"/>.</summary>
    /// <returns>How many there were.</returns>
    public int ForgetMember(string cluster, string name, Instant now) =>
        _servers.TryGetValue(settings.ServesAllClusters ? cluster : settings.Server.ClusterName, out MembershipServer? server)
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
        if (reason != MembershipRefusal.None && counters.CountRefused(reason)) events.OnRefused(known.Link.Remote, reason, counters.RefusedFor(reason));
        Forget(known);
        known.Link.Close();
    }

    /// <inheritdoc/>
    public void OnHold(string clusterName, MembershipHold hold, Instant now) => events.OnHold(clusterName, hold);

    /// <inheritdoc/>
    public bool MayName(long connection, NetEndpoint endpoint) =>
        _connections.TryGetValue(connection, out HostedConnection? known) && _addresses.MayName(known.Link.RemoteAddress, endpoint);

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
                // Whoever is in a hurry comes again, to this host or to the one that it gives way to.
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
            if (_servers.Count >= settings.MostClusters && !ForgetDeserted())
            {
                Close(connection.Id, MembershipRefusal.Full);
                return false;
            }
            var random = new SeededRandom((ulong)Random.Shared.NextInt64());
            server = new MembershipServer(Apart(settings.Server, random) with { ClusterName = cluster }, alarms, random, this);
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

    // A name costs a stranger nothing: clusters in which nobody is must not keep out one that somebody wants.
    private bool ForgetDeserted()
    {
        var connected = new HashSet<MembershipServer>();
        foreach (HostedConnection connection in _connections.Values)
        {
            if (connection.Server is { } server) connected.Add(server);
        }
        List<string> deserted = [];
        foreach ((string name, MembershipServer server) in _servers)
        {
            if (server.Statistics.Nodes == 0 && !connected.Contains(server)) deserted.Add(name);
        }
        foreach (string name in deserted)
        {
            _servers[name].Stop();
            _servers.Remove(name);
        }
        return deserted.Count > 0;
    }

    // Clusters that share a pool are told apart by their instance; that their first addresses have different ports saves them
    // reading each other's datagrams.
    private MembershipServerSettings Apart(MembershipServerSettings all, SeededRandom random)
    {
        int skipped = (int)random.NextBelow((ulong)(all.PortCount / 2));
        return all with
        {
            PortFirst = (ushort)(all.PortFirst + skipped),
            PortCount = all.PortCount - skipped,
            // A clock that has not been set stands before that; term 0 is none.
            FirstTerm = (uint)Math.Max(1, (TimeProvider.System.GetUtcNow() - FirstTermsBegin).TotalSeconds),
            FoundingGrace =
                settings.ServesAllClusters ? ReconnectPace.LoopbackFoundingGrace : ReconnectPace.HostFoundingGrace,
            DrawSecret = DrawSecret,
            Events = this,
        };
    }

    // The servers' own generators will not do: whoever knows one of their numbers, and ids are such numbers, knows all that follow.
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
