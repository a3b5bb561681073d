using System.Buffers.Binary;
using System.Diagnostics;
using System.Net;
using System.Security.Cryptography;
using QuickSilver.Loop;
using QuickSilver.Membership.Peers;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Membership.Voting;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Membership;

/// <summary>
/// The membership server of one host, and its connections. Host loop only, unless a member says otherwise.
/// </summary>
/// <param name="settings">The settings of the host.</param>
/// <param name="alarms">The alarms of the host's loop.</param>
/// <param name="counters">The counters of the host.</param>
/// <param name="events">Receives refusals, holds, rivals and failures.</param>
/// <param name="strangers">The connections that have not identified themselves.</param>
internal sealed class HostedServer(
    MembershipHostSettings settings,
    AlarmQueue alarms,
    HostCounters counters,
    IMembershipHostEvents events,
    Strangers strangers)
    : IServerLinks, ICoreObserver, IMembershipServerEvents
{
    private static readonly TimeSpan LateRead = TimeSpan.FromMilliseconds(250);

    private readonly AddressRule _addresses = new(settings);
    private readonly FrameBuilder _frame = new();
    private readonly Dictionary<long, HostedConnection> _connections = [];
    private MembershipServer? _server;
    private Instant _readTo = Instant.Never;
    private bool _isBusy;
    private int _nodes;
    private ulong _term;
    private bool _hasFailed;
    private LeaseGuard? _lease;
    private volatile bool _hasLapsed;

    /// <summary>True while a step is under way, as of the last turn. Any thread.</summary>
    public bool IsBusy => Volatile.Read(ref _isBusy);

    /// <summary>The number of registered nodes, as of the last turn. Any thread.</summary>
    public int Nodes => Volatile.Read(ref _nodes);

    /// <summary>The term of the server, as of the last turn; 0: none yet. Any thread.</summary>
    public ulong Term => Volatile.Read(ref _term);

    /// <summary>True once the lease of an elected server has ended. Any thread.</summary>
    public bool HasLapsed => _hasLapsed;

    /// <summary>Lets an elected server serve while its lease lasts.</summary>
    public void Grant(ServingLease lease, IClock clock, Instant now)
    {
        Debug.Assert(settings.Server.IsElected && _server is null, "an elected server waits for its lease");
        _lease = new LeaseGuard(alarms, lease, clock, OnLapsed, settings.Server.Probes);
        _lease.Start(now);
    }

    /// <summary>The lease has been renewed by a call that began at an instant of its clock.</summary>
    public void Renew(Instant asked) => _lease?.Renew(asked);

    /// <summary>The lease is lost.</summary>
    public void Lose(Instant now) => _lease?.Lose(now);

    /// <summary>Registers an accepted connection, and starts the timeout of its first frame.</summary>
    public void OnOpened(HostedConnection connection, Instant now)
    {
        if (_hasFailed || _hasLapsed)
        {
            // Its request was queued behind the failed one: nothing else would end it.
            connection.IsClosed = true;
            connection.Link.Close();
            return;
        }
        _connections.Add(connection.Id, connection);
        TimeSpan limit =
            IPAddress.IsLoopback(connection.Address) ? settings.LoopbackHelloTime : settings.HelloTime;
        connection.HelloDue = now + limit;
        connection.Hello = new Alarm(alarms, later => OnHelloDue(connection, later));
        connection.Hello.Set(connection.HelloDue);
    }

    /// <summary>Hands received frames to the server.</summary>
    public void OnFrames(HostedConnection connection, FrameBatch frames, Instant now)
    {
        while (!connection.IsClosed && frames.TryNext(out ReadOnlySpan<byte> frame))
        {
            if (connection.IsIdentified || TryIdentify(connection, frame, now))
                Server().OnFrame(connection.Id, frame, now);
        }
    }

    /// <summary>Reports to the server that all frames received before an instant have been handled.</summary>
    public void OnRead(Instant upTo)
    {
        _readTo = upTo;
        _server?.OnRead(upTo);
    }

    /// <summary>Removes a connection that has ended, and reports its end to the server.</summary>
    public void OnEnded(HostedConnection connection, FrameEnd end, Instant now)
    {
        bool isNews = !connection.IsClosed;
        Forget(connection);
        if (isNews && connection.IsIdentified)
            _server?.OnDisconnected(connection.Id, now, isEnded: end != FrameEnd.Broken);
    }

    /// <summary>Removes members of a name that will not return: see <see cref="MembershipServer.Forget"/>.</summary>
    /// <returns>The number of members removed.</returns>
    public int ForgetMember(string name, Instant now) => _server?.Forget(name, now) ?? 0;

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
        if (reason != MembershipRefusal.None && counters.CountRefused(reason, known.Address))
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
    public bool HasStrangers => strangers.AreComing;

    /// <inheritdoc/>
    public bool MayEnter(long connection, string nodeName, string groupName, bool isPublisher)
    {
        // A name that is refused anyway may contain anything: the application does not see it.
        if (settings.Authorize is not { } authorize || !ServerGroups.IsGoodName(groupName)) return true;
        // What a node tells of itself is for monitors alone, and those are asked for.
        if (isPublisher && StatisticsGroup.Is(groupName)) return true;
        if (!_connections.TryGetValue(connection, out HostedConnection? known)) return false;
        var request = new AuthorizationRequest(
            known.Identity, nodeName, known.Link.RemoteAddress, groupName, isPublisher);
        try
        {
            return authorize(request);
        }
        catch (Exception thrown)
        {
            if (counters.IsToBeReported(known.Address, FrameKind.Join)) events.OnAuthorizeThrew(thrown);
            return false;
        }
    }

    /// <inheritdoc/>
    public void OnTurnEnded(Instant now, bool wasBusy)
    {
        Volatile.Write(ref _isBusy, _server?.IsBusy ?? false);
        Volatile.Write(ref _nodes, _server?.Statistics.Nodes ?? 0);
        Volatile.Write(ref _term, _server?.Term ?? _lease?.Term ?? 0);
    }

    /// <inheritdoc/>
    public void OnStopping(Instant now)
    {
        _lease?.Stop();
        if (!_hasLapsed) _server?.Stop();
        CloseAll();
    }

    /// <inheritdoc/>
    public void OnFault(Exception fault, Instant now)
    {
        _hasFailed = true;
        events.OnHostFailed(fault);
        CloseAll();
    }

    private void CloseAll()
    {
        foreach (HostedConnection connection in _connections.Values)
        {
            connection.IsClosed = true;
            connection.Hello?.Cancel();
            connection.Link.Close();
        }
        _connections.Clear();
    }

    private void OnLapsed()
    {
        _hasLapsed = true;
        _server?.Stop();
        events.OnLeaseEnded();
        CloseAll();
    }

    // Frames that arrived in time may wait behind those of others: the pool that reads them is late, not the node.
    private void OnHelloDue(HostedConnection connection, Instant now)
    {
        if (_readTo >= connection.HelloDue) connection.Link.Abort(FrameEnd.Silent);
        else connection.Hello!.Set(now + LateRead);
    }

    /// <returns>True when the frame is a registration, for the server.</returns>
    private bool TryIdentify(HostedConnection connection, ReadOnlySpan<byte> frame, Instant now)
    {
        if (settings.Votes is { } votes && VoteRequest.IsOne(frame))
        {
            AnswerVote(connection, votes, VoteRequest.TryRead(frame), now);
            return false;
        }
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
        if (settings.Server.IsElected && (_lease is null || _hasLapsed))
        {
            Close(connection.Id, MembershipRefusal.None);
            return false;
        }
        if (!connection.HasAsked && SeekFrame.TryRead(frame) is { } question)
        {
            connection.HasAsked = true;
            AnswerSeek(connection, question.Judge(settings.Server.ClusterName, settings.Server.Crypto is not null));
            return false;
        }
        if (!MembershipFrames.IsHello(frame))
        {
            Close(connection.Id, MembershipRefusal.BadFrame);
            return false;
        }
        connection.Hello?.Cancel();
        strangers.Remove(connection);
        connection.IsIdentified = true;
        Server().OnConnected(connection.Id, now);
        return true;
    }

    // Made for the first node that comes: the founding begins then.
    private MembershipServer Server()
    {
        if (_server is not null) return _server;
        var random = new SeededRandom((ulong)Random.Shared.NextInt64());
        IServerLinks links = _lease is null ? this : _lease.Wrap(this);
        _server = new MembershipServer(Complete(settings.Server, random), alarms, random, links);
        _server.OnRead(_readTo);
        return _server;
    }

    // Its connection stays open between questions: an election asks again and again.
    private void AnswerVote(HostedConnection connection, IVoteHost votes, VoteRequest? request, Instant now)
    {
        bool isGood = request is not null && _addresses.MayName(connection.Link.RemoteAddress, request.Asker.Place);
        if (!isGood || votes.Answer(request!, connection.Link.RemoteAddress) is not { } answer)
        {
            Close(connection.Id, isGood ? MembershipRefusal.WrongCluster : MembershipRefusal.BadFrame);
            return;
        }
        strangers.Remove(connection);
        connection.HelloDue = now + settings.HelloTime;
        connection.Hello!.Set(connection.HelloDue);
        answer.WriteTo(_frame);
        connection.Link.Send(_frame.Span);
    }

    private void AnswerSeek(HostedConnection connection, MembershipRefusal verdict)
    {
        if (verdict == MembershipRefusal.None)
        {
            connection.Link.Send(MembershipFrames.Found);
            return;
        }
        connection.Link.Send(MembershipFrames.Refusal(verdict));
        Close(connection.Id, MembershipRefusal.None);
    }

    private void AnswerHost(HostedConnection connection, HostClaim claim, HostClaimFrame other)
    {
        string place = connection.Link.RemoteAddress?.ToString() ?? connection.Link.Remote;
        if (claim.OnOther(other, place) && counters.IsToBeReported(connection.Address, FrameKind.HostQuery))
            events.OnRival(place, other.Nodes);
        claim.ToFrame(Nodes).WriteTo(_frame, FrameKind.HostAnswer);
        connection.Link.Send(_frame.Span);
        Close(connection.Id, MembershipRefusal.None);
    }

    // The instance distinguishes clusters that share an address pool. Different ports for their first addresses save
    // them reading each other's datagrams.
    private MembershipServerSettings Complete(MembershipServerSettings all, SeededRandom random)
    {
        int skipped = (int)random.NextBelow((ulong)(all.PortCount / 2));
        return all with
        {
            PortFirst = (ushort)(all.PortFirst + skipped),
            PortCount = all.PortCount - skipped,
            FirstTerm = _lease?.Term ?? CalendarTerm.Now,
            Electorate = _lease?.Electorate ?? 0,
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
