using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The takeover of a lost server's cluster by a server without a cluster of its own. The first survivor's report
/// decides the cluster and the next epoch. Then survivors gather (see <see cref="Takeover"/>), and the first step gives
/// all of them new regions and views. Views of the lost server live on in <see cref="InheritedViews"/>. Core thread
/// only.
/// </summary>
internal sealed class Succession
{
    private const int QuietPart = 4;
    // The pause before the end of a gathering is judged again while frames may be unread.
    private static readonly TimeSpan LookAgain = TimeSpan.FromMilliseconds(100);
    // The pause before it is judged again whether half of the members are there.
    private static readonly TimeSpan LookForMajority = TimeSpan.FromSeconds(1);
    // The longest wait of a gathering beyond its time, for connections that are being made.
    private static readonly TimeSpan LongestGrace = TimeSpan.FromSeconds(10);
    // How long a cluster is young, at least: it then gives way to an older one.
    private static readonly TimeSpan YoungTime = TimeSpan.FromSeconds(10);

    // Two nodes: a single one loses less by returning as a new node than the present nodes would.
    private const int LeastClaims = 2;

    // Terms come from clocks, and rise by less than this during a cluster's life. A forged one may not use them up.
    private const ulong MostTermsAhead = 1 << 28;

    private readonly ServerParts _parts;
    private readonly QuorumLossGuard _sight;
    private readonly Action<ServerNode, MembershipRefusal, Instant> _remove;
    private readonly Action<ServerNode, Instant> _addJoins;
    private readonly FrameBuilder _frame = new();
    private readonly Alarm _alarm;
    private readonly FoundingGrace _founding;
    private readonly OlderClaims _claims;
    private Takeover? _takeover;
    private Instant _end;

    /// <summary>Makes one that waits for survivors.</summary>
    /// <param name="parts">The server's state.</param>
    /// <param name="sight">Told of nodes that have not come.</param>
    /// <param name="remove">Removes a node.</param>
    /// <param name="addJoins">Looks up the names that a node has requested.</param>
    public Succession(
        ServerParts parts,
        QuorumLossGuard sight,
        Action<ServerNode, MembershipRefusal, Instant> remove,
        Action<ServerNode, Instant> addJoins)
    {
        _parts = parts;
        _sight = sight;
        _remove = remove;
        _addJoins = addJoins;
        _alarm = new Alarm(parts.Alarms, EndGathering);
        _founding = new FoundingGrace(parts, () => IsGathering);
        _claims = new OlderClaims(parts);
        parts.Pauses.Tell(OnPaused);
    }

    /// <summary>True while survivors register and no step is made.</summary>
    public bool IsGathering => _takeover is { IsGathering: true };

    /// <summary>Number of survivors that are named and away.</summary>
    public int Missing => _takeover?.Absent ?? 0;

    /// <summary>The first of the missing survivors, for diagnostics.</summary>
    public List<string> NameMissing() => _takeover?.Name(JoinWait.MaxNames) ?? [];

    /// <summary>True when a node of another server may report, to be taken over or given other instructions.</summary>
    public bool CanTakeOver(HelloFrame hello)
    {
        ServerEpoch serverEpoch = _parts.ServerEpoch;
        if (hello.Session == serverEpoch.Epoch) return false;
        if (IsBeyond(hello.Session.Term)) return false;
        if (_takeover is not { } takeover) return _parts.Nodes.Live.Count == 0 && _parts.Pipeline.Last == 0;
        if (takeover.IsRemoved(hello.Number.Key) || hello.Instance != takeover.Instance) return false;
        return hello.Session.Term < serverEpoch.Epoch.Term || (takeover.IsGathering && _parts.Pipeline.Last == 0);
    }

    // Nodes of a later elected server know more than this one can take over.
    private bool IsBeyond(ulong term)
    {
        MembershipServerSettings settings = _parts.Settings;
        return settings.IsElected
            ? term >= settings.FirstTerm || _parts.ServerEpoch.IsUsedUp
            : term > settings.FirstTerm + MostTermsAhead;
    }

    /// <summary>
    /// True when the time for survivors is over. A node that could be taken over at any later time could hold up the
    /// cluster, and no member knows it.
    /// </summary>
    public bool IsTooLate(Instant now) => _takeover is { IsGathering: false } takeover && now > takeover.LastBegin;

    /// <summary>A node without a number registers. If it is the first, the server founds a cluster with it.</summary>
    public void OnNewcomer(Instant now)
    {
        if (!_founding.HasBegun && _takeover is null) _founding.Begin(now);
    }

    /// <summary>
    /// True when this server has founded a cluster, and may give it up for the one that a node comes from. That holds
    /// while no node is in a group, or the time for survivors of a lost server is not over. The same holds for a
    /// cluster that it is about to take over: the first reporter may have given false information.
    /// </summary>
    public bool MayGiveUpFor(HelloFrame hello, Instant now)
    {
        if (hello.Number.IsNone || hello.Instance == _parts.ServerEpoch.Instance) return false;
        if (IsBeyond(hello.Session.Term)) return false;
        if (_takeover is { } takeover) return takeover.IsGathering && _parts.Pipeline.Last == 0;
        if (!_founding.HasBegun) return false;
        TimeSpan period = _parts.Settings.FailureTimeout > YoungTime ? _parts.Settings.FailureTimeout : YoungTime;
        return _parts.IsUnused || now - _founding.FoundedAt <= period + _parts.Settings.ReconnectGrace;
    }

    /// <summary>
    /// A survivor of another cluster has reported. That cluster has precedence when no node here is in a group. It also
    /// has precedence on two conditions. Its survivors name at least as many nodes as are in groups here. And as many
    /// of them wait here, at least two, of as many identities. Otherwise they wait, or are refused.
    /// </summary>
    /// <returns>All its survivors that wait here, when it has precedence; otherwise null, and the connection has been
    /// handled.</returns>
    public List<(long Connection, HelloFrame Hello, byte[] Report)>? Claim(
        long connection, HelloFrame hello, byte[] report, ReportFrame read, Instant now)
    {
        ulong instance = hello.Instance;
        _claims.Add(connection, hello, report, read, now);
        bool isHarmless = _takeover is null && _parts.IsUnused;
        if (isHarmless) return _claims.Take(instance);
        List<ServerNode> members = [.. _parts.Nodes.Live.Where(node => node.IsInherited || node.HasGroups)];
        if (_claims.NamedIn(instance) < members.Count)
        {
            _claims.Refuse(instance);
            return null;
        }
        int identities = members.Select(static node => node.Identity).Distinct(StringComparer.Ordinal).Count();
        int needed = _takeover is null ? Math.Max(members.Count, LeastClaims) : members.Count + 1;
        bool hasPrecedence =
            _claims.CountOf(instance) >= needed && _claims.IdentitiesOf(instance) >= identities;
        return hasPrecedence ? _claims.Take(instance) : null;
    }

    /// <summary>
    /// Checks whether a report fits. The first report, or one of a later server than those before, decides the cluster
    /// that is taken over.
    /// </summary>
    /// <returns>False when the report is too late: a step of this server has had a group that it names, or the time for
    /// survivors is over.</returns>
    public bool TryBegin(HelloFrame hello, ReportFrame report, Instant now)
    {
        if (_takeover is not { } takeover || IsLater(takeover, hello.Session)) Begin(hello, report, now);
        bool isFit = report.GroupEpoch == _parts.ServerEpoch.GroupEpoch
            && report.Groups.TrueForAll(_parts.Groups.CanInherit)
            && report.Published.TrueForAll(_parts.Groups.CanInherit);
        if (!IsTooLate(now) && isFit) return true;
        OnTooLate(hello.Number.Key);
        return false;
    }

    // An elected server's own term is above all others, so it compares those that have ended.
    private bool IsLater(Takeover takeover, Epoch session) => _parts.Settings.IsElected
        ? takeover.IsGathering && _parts.Pipeline.Last == 0 && session.Term > takeover.Followed.Term
        : session.Term >= _parts.ServerEpoch.Epoch.Term;

    /// <summary>Registers a survivor under its own number.</summary>
    public ServerNode TakeOver(HelloFrame hello, string identity, ReportFrame report, Instant now)
    {
        Takeover takeover = _takeover!;
        if (takeover.LostAt < now - report.LostFor) takeover.LostAt = now - report.LostFor;
        BeginGathering(takeover, now);
        ServerNode node = _parts.Nodes.Inherit(hello, identity, _parts.Pipeline.Last);
        _parts.Changes.Inherit(node, Inherit(report.Groups), Inherit(report.Published));
        _parts.Inherited.Add(node, report);
        _parts.Settings.Probes.Reached("a server takes over a node of another server");
        takeover.Register(node, hello.Session, report);
        Instant quiet = now + (_parts.Settings.ReconnectGrace / QuietPart);
        takeover.QuietEnd = quiet < takeover.EarliestEnd ? quiet : takeover.EarliestEnd;
        return node;
    }

    /// <summary>A registered survivor is connected: the gathering may be complete.</summary>
    public void OnRegistered(Instant now) => EndGathering(now);

    /// <summary>A process has registered without a number: it may be a missing member's, restarted.</summary>
    public void OnCome(ServerNode newcomer, Instant now)
    {
        if (_takeover is not { IsGathering: true } takeover) return;
        takeover.OnCome(newcomer);
        EndGathering(now);
    }

    /// <summary>The operator declares missing members of a name gone.</summary>
    /// <returns>Number of members forgotten.</returns>
    public int Forget(string name, Instant now)
    {
        if (_takeover is not { IsGathering: true } takeover) return 0;
        int forgotten = takeover.Forget(name);
        _parts.Removed += (ulong)forgotten;
        EndGathering(now);
        return forgotten;
    }

    /// <summary>
    /// A node has been removed. Later survivors may know it, and are notified when they have gathered.
    /// </summary>
    public void OnRemoved(ServerNode node)
    {
        if (_takeover is { IsGathering: true } gathering) gathering.OnGone(node);
        if (_takeover is { } takeover && (takeover.IsGathering || node.IsInherited)) takeover.MarkRemoved(node.Key);
    }

    /// <summary>Cancels the timers.</summary>
    public void Stop()
    {
        _alarm.Cancel();
        _founding.Cancel();
        _claims.Stop();
    }

    private uint[] Inherit(List<GroupInfo> reported)
    {
        uint[] groups = new uint[reported.Count];
        for (int index = 0; index < groups.Length; index++)
        {
            _parts.Groups.Inherit(reported[index]);
            groups[index] = reported[index].Id.Counter;
        }
        return groups;
    }

    // No view names the node, or it would have been missed and would count as removed already. But survivors may have
    // met it, and keep its record.
    private void OnTooLate(ulong key)
    {
        if (!_takeover!.TryMarkRemoved(key)) return;
        if (!IsGathering) NotifyRemoved(key);
    }

    private void NotifyRemoved(ulong key)
    {
        byte[] frame = _frame.Begin(FrameKind.NodeRemoved).WriteVarint(key).WriteByte(0).ToArray();
        foreach (ServerNode node in _parts.Nodes.Live)
        {
            if (node.IsInherited) _parts.Nodes.Send(node, frame);
        }
    }

    private void OnPaused(TimeSpan pause, Instant now)
    {
        _end += pause;
        _founding.OnPaused(pause);
        if (_takeover is not { } takeover) return;
        takeover.QuietEnd += pause;
        takeover.EarliestEnd += pause;
        takeover.LostAt += pause;
        takeover.LastBegin += pause;
    }

    private void Begin(HelloFrame hello, ReportFrame report, Instant now)
    {
        // Survivors that have registered so far return, and report again. No step was made, so nothing has changed for
        // them.
        _alarm.Cancel();
        _founding.Cancel();
        _takeover = null;
        while (_parts.Nodes.Live.Count > 0)
        {
            ServerNode node = _parts.Nodes.Live[^1];
            _parts.Connections.Detach(node);
            node.Watch?.Cancel();
            _parts.Changes.Drop(node);
            _parts.Nodes.Remove(node);
        }
        _takeover = new Takeover(hello.Instance, hello.Session, _sight, _parts.Settings.Probes)
        {
            EarliestEnd = now + _parts.Settings.ReconnectGrace,
            LastBegin = now + GatheringTime,
        };
        _parts.Inherited.Clear(now);
        _parts.ServerEpoch.Follow(hello.Session, report.GroupEpoch, hello.Instance);
        _parts.Groups.BeginTerm(_parts.ServerEpoch.TermsPassed, _parts.ServerEpoch.Epoch.Server);
    }

    private TimeSpan GatheringTime
    {
        get
        {
            MembershipServerSettings settings = _parts.Settings;
            bool hasTimeout = settings.FailureTimeout > TimeSpan.Zero;
            return settings.TakeoverTimeout ?? (hasTimeout ? settings.FailureTimeout : settings.ReconnectGrace);
        }
    }

    private MembershipHold DescribeHold() =>
        new(HoldReason.Majority, Missing, _takeover!.Present, NameMissing());

    /// <summary>
    /// The end of the time for missing survivors. Nobody served from the loss of the former server on, so an elected
    /// one counts from there: an election takes as long as a lease. It leaves them half of the time.
    /// </summary>
    private Instant EndFor(Takeover takeover)
    {
        if (!_parts.Settings.IsElected) return _end;
        Instant counted = takeover.LostAt + GatheringTime;
        Instant least = _end - (GatheringTime / 2);
        if (counted < least) counted = least;
        return counted < takeover.EarliestEnd ? takeover.EarliestEnd : counted < _end ? counted : _end;
    }

    private void BeginGathering(Takeover takeover, Instant now)
    {
        if (takeover.IsGathering) return;
        takeover.IsGathering = true;
        _parts.Inherited.Reopen();
        _parts.Pipeline.Hold();
        _end = now + GatheringTime;
        if (_end < takeover.EarliestEnd) _end = takeover.EarliestEnd;
    }

    /// <summary>
    /// Ends the gathering when the survivors are complete, or their time is over: missing ones are removed, and the
    /// next step is made.
    /// </summary>
    private void EndGathering(Instant now)
    {
        _parts.Pauses.Look(now);
        if (_takeover is not { IsGathering: true } takeover) return;
        takeover.LookedAt = now;
        Instant end = takeover.Missing.Count == 0 ? takeover.QuietEnd : EndFor(takeover);
        // Frames of further survivors may be unread, and their handshakes under way.
        bool mayLieUnread = _parts.KnownTo(now) < end;
        bool mayCome = takeover.Missing.Count > 0 && now < end + LongestGrace && _parts.Connections.AreComing;
        if (now < end || mayLieUnread || mayCome)
        {
            if (mayCome && now >= end)
                _parts.Settings.Probes.Reached("a takeover waits for connections that are being made");
            _alarm.Set(now < end ? end : now + LookAgain);
            return;
        }
        if (takeover.Absent > 0 && _parts.Settings.AwaitMajority && !takeover.HasMajority)
        {
            _parts.Hold.Begin(HoldReason.Majority, DescribeHold, now);
            _alarm.Set(now + LookForMajority);
            return;
        }
        _parts.Hold.End(HoldReason.Majority, now);
        _alarm.Cancel();
        takeover.IsGathering = false;
        foreach (ServerNode node in takeover.Contradicted())
        {
            _parts.Settings.Probes.Reached("survivors contradict each other in who is removed");
            _sight.OnRemoved(node, now);
            _remove(node, MembershipRefusal.Removed, now);
        }
        foreach (ulong key in (List<ulong>)[.. takeover.Missing])
        {
            takeover.MarkRemoved(key);
            _sight.OnMemberGone(now);
            _parts.Removed++;
            _parts.Settings.Probes.Reached("a node that survivors name does not register with the new server");
        }
        foreach (ServerNode node in takeover.LeftBehind())
        {
            _parts.Settings.Probes.Reached("a survivor missed a step in which others sent");
            _sight.OnRemoved(node, now);
            _remove(node, MembershipRefusal.Removed, now);
        }
        foreach (ulong key in takeover.Removed())
        {
            NotifyRemoved(key);
            _parts.Inherited.OnGone(key);
        }
        _sight.OnGathered(now);
        _parts.Groups.CloseInheritance();
        foreach (ServerNode node in _parts.Nodes.Live) _addJoins(node, now);
        _parts.Inherited.Complete(now);
        _parts.Pipeline.Release(now);
    }
}
