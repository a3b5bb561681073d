using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// How a server without a cluster of its own takes over that of a lost one: the first survivor's report decides whose cluster it is and what epoch
/// follows; then survivors gather (see <see cref="Takeover"/>), and the first step gives all of them new regions and views. Views of the lost server
/// live on in <see cref="InheritedViews"/>. Core thread only.
/// </summary>
internal sealed class Succession
{
    private const int QuietPart = 4;
    private static readonly TimeSpan LookAgain = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LookForMajority = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan YoungTime = TimeSpan.FromSeconds(10);

    // Two nodes, since one that comes alone loses less by returning than those who are here would.
    private const int LeastClaims = 2;

    // Terms come from clocks, and rise by less than this as long as a cluster lives. A forged one may not use them up.
    private const ulong MostTermsAhead = 1 << 28;

    private readonly ServerParts _parts;
    private readonly Action<ServerNode, MembershipRefusal, Instant> _remove;
    private readonly Action<ServerNode, Instant> _addJoins;
    private readonly FrameBuilder _frame = new();
    private readonly Alarm _alarm;
    private readonly Alarm _graceAlarm;
    private readonly OlderClaims _claims;
    private Takeover? _takeover;
    private Instant _end;
    private Instant _founded;

    /// <summary>Makes one that waits for survivors.</summary>
    /// <param name="parts">The server's state.</param>
    /// <param name="remove">Takes a node out.</param>
    /// <param name="addJoins">Looks up the names that a node has asked for.</param>
    public Succession(ServerParts parts, Action<ServerNode, MembershipRefusal, Instant> remove, Action<ServerNode, Instant> addJoins)
    {
        _parts = parts;
        _remove = remove;
        _addJoins = addJoins;
        _alarm = new Alarm(parts.Alarms, EndGathering);
        _graceAlarm = new Alarm(parts.Alarms, EndGrace);
        _claims = new OlderClaims(parts);
    }

    /// <summary>Survivors still register, and no step is made.</summary>
    public bool IsGathering => _takeover is { IsGathering: true };

    /// <summary>How many survivors are named and have not registered.</summary>
    public int Missing => _takeover?.Missing.Count ?? 0;

    /// <summary>The first of them, for people.</summary>
    public List<string> NameMissing() => _takeover?.Name(JoinWait.MaxNames) ?? [];

    /// <summary>True when a node of another server may report, to be taken over or told what it is to do instead.</summary>
    public bool CanTakeOver(HelloFrame hello)
    {
        ServerEpoch serverEpoch = _parts.ServerEpoch;
        if (hello.Session == serverEpoch.Epoch || hello.Session.Term > _parts.Settings.FirstTerm + MostTermsAhead) return false;
        if (_takeover is not { } takeover) return _parts.Nodes.Live.Count == 0 && _parts.Pipeline.Last == 0;
        if (takeover.IsRemoved(hello.Number.Key) || hello.Instance != takeover.Instance) return false;
        return hello.Session.Term < serverEpoch.Epoch.Term || (takeover.IsGathering && _parts.Pipeline.Last == 0);
    }

    /// <summary>
    /// True when the time in which survivors come is over. What would be taken over now could hold up the cluster at any time, and nobody knows it.
    /// </summary>
    public bool IsTooLate(Instant now) => _takeover is { IsGathering: false } takeover && now > takeover.LastBegin;

    /// <summary>A node without a number registers: if it is the first, the server founds a cluster with it.</summary>
    public void OnNewcomer(Instant now)
    {
        if (_founded != Instant.Zero || _takeover is not null) return;
        _founded = now;
        if (_parts.Settings.FoundingGrace <= TimeSpan.Zero) return;
        _parts.Pipeline.Hold();
        _graceAlarm.Set(now + _parts.Settings.FoundingGrace);
    }

    /// <summary>
    /// True when this server has founded a cluster, and may give it up for the one that a node comes from: as long as nobody is in a group, or the
    /// time in which survivors of a lost server come back is not over. The same holds for a cluster that it is about to take over: whoever came first
    /// may have lied about it.
    /// </summary>
    public bool MayGiveUpFor(HelloFrame hello, Instant now)
    {
        if (hello.Number.IsNone || hello.Instance == _parts.ServerEpoch.Instance) return false;
        if (hello.Session.Term > _parts.Settings.FirstTerm + MostTermsAhead) return false;
        if (_takeover is { } takeover) return takeover.IsGathering && _parts.Pipeline.Last == 0;
        if (_founded == Instant.Zero) return false;
        TimeSpan period = _parts.Settings.FailureTimeout > YoungTime ? _parts.Settings.FailureTimeout : YoungTime;
        return _parts.Regions.InhabitedCount == 0 || now - _founded <= period + _parts.Settings.ReconnectGrace;
    }

    /// <summary>
    /// A survivor of another cluster has reported. That cluster goes before the one here when nobody here is in a group; or when its survivors name as
    /// many nodes as are here, and as many of them stand here as are in groups here, two at least. Otherwise they wait, or are refused.
    /// </summary>
    /// <returns>All its survivors that stand here, when it goes before; else null, and the connection has been dealt with.</returns>
    public List<(long Connection, HelloFrame Hello, byte[] Report)>? Claim(
        long connection, HelloFrame hello, byte[] report, ReportFrame read, Instant now)
    {
        ulong instance = hello.Instance;
        _claims.Add(connection, hello, report, read, now);
        bool isHarmless = _takeover is null && _parts.Regions.InhabitedCount == 0;
        if (isHarmless) return _claims.Take(instance);
        int here = _parts.Nodes.Live.Count(node => node.IsInherited || node.Region is not null);
        if (_claims.NamedIn(instance) < _parts.Nodes.Live.Count)
        {
            _claims.Refuse(instance);
            return null;
        }
        int needed = _takeover is null ? Math.Max(here, LeastClaims) : here + 1;
        return _claims.CountOf(instance) >= needed ? _claims.Take(instance) : null;
    }

    /// <summary>
    /// Looks whether a report fits, and lets it decide whose cluster this is if it is the first, or of a later server than those before.
    /// </summary>
    /// <returns>False when the report comes too late: a step of this server has had a group that it names, or the time for survivors is over.</returns>
    public bool TryBegin(HelloFrame hello, ReportFrame report, Instant now)
    {
        if (_takeover is null || hello.Session.Term >= _parts.ServerEpoch.Epoch.Term) Begin(hello, report, now);
        if (!IsTooLate(now) && report.GroupEpoch == _parts.ServerEpoch.GroupEpoch && report.Groups.TrueForAll(_parts.Groups.CanInherit)) return true;
        OnTooLate(hello.Number.Key);
        return false;
    }

    /// <summary>Registers a survivor, under the number it has.</summary>
    public ServerNode TakeOver(HelloFrame hello, ReportFrame report, Instant now)
    {
        Takeover takeover = _takeover!;
        BeginGathering(takeover, now);
        ServerNode node = _parts.Nodes.Inherit(hello, _parts.Pipeline.Last);
        uint[] groups = new uint[report.Groups.Count];
        for (int index = 0; index < groups.Length; index++)
        {
            _parts.Groups.Inherit(report.Groups[index]);
            groups[index] = report.Groups[index].Id.Counter;
        }
        _parts.Maker.Inherit(node, groups);
        _parts.Inherited.Add(node, report);
        _parts.Settings.Probes.Hit(Mark.NodeTakenOver);
        takeover.Register(node, hello.Session, report);
        Instant quiet = now + (_parts.Settings.ReconnectGrace / QuietPart);
        takeover.QuietEnd = quiet < takeover.EarliestEnd ? quiet : takeover.EarliestEnd;
        return node;
    }

    /// <summary>A survivor that has registered is connected: the gathering may be complete.</summary>
    public void OnRegistered(Instant now) => EndGathering(now);

    /// <summary>A process has registered without a number: it may be a missing member's, restarted.</summary>
    public void OnCome(ServerNode newcomer, Instant now)
    {
        if (_takeover is not { IsGathering: true } takeover) return;
        takeover.OnCome(newcomer);
        EndGathering(now);
    }

    /// <summary>The operator says that missing members of a name are gone.</summary>
    /// <returns>How many there were.</returns>
    public int Forget(string name, Instant now)
    {
        if (_takeover is not { IsGathering: true } takeover) return 0;
        int forgotten = takeover.Forget(name);
        _parts.Removed += (ulong)forgotten;
        EndGathering(now);
        return forgotten;
    }

    /// <summary>A node has been removed. Survivors that come later may know it, and are told when they have gathered.</summary>
    public void OnRemoved(ServerNode node)
    {
        if (_takeover is { IsGathering: true } gathering) gathering.OnGone(node);
        if (_takeover is { } takeover && (takeover.IsGathering || node.IsInherited)) takeover.MarkRemoved(node.Key);
    }

    /// <summary>Cancels the timer.</summary>
    public void Stop()
    {
        _alarm.Cancel();
        _graceAlarm.Cancel();
        _claims.Stop();
    }

    // No view names the node, or it would have been missed and counts as removed already; but survivors may have met it,
    // and keep what they know of it.
    private void OnTooLate(ulong key)
    {
        if (!_takeover!.TryMarkRemoved(key)) return;
        if (!IsGathering) TellRemoved(key);
    }

    private void TellRemoved(ulong key)
    {
        byte[] frame = _frame.Begin(FrameKind.NodeRemoved).WriteVarint(key).ToArray();
        foreach (ServerNode node in _parts.Nodes.Live)
        {
            if (node.IsInherited) _parts.Nodes.Send(node, frame);
        }
    }

    private void EndGrace(Instant now)
    {
        if (!IsGathering) _parts.Pipeline.Release(now);
    }

    private void Begin(HelloFrame hello, ReportFrame report, Instant now)
    {
        // Those that have registered so far come back, and report again: no step was made, so nothing has changed for them.
        _alarm.Cancel();
        _graceAlarm.Cancel();
        _takeover = null;
        while (_parts.Nodes.Live.Count > 0)
        {
            ServerNode node = _parts.Nodes.Live[^1];
            _parts.Connections.Detach(node);
            node.Watch?.Cancel();
            _parts.Maker.Drop(node);
            _parts.Nodes.Remove(node);
        }
        _takeover = new Takeover(hello.Instance, hello.Session, _parts.Settings.Probes)
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
            return settings.TakeoverTimeout ?? (settings.FailureTimeout > TimeSpan.Zero ? settings.FailureTimeout : settings.ReconnectGrace);
        }
    }

    private MembershipHold DescribeHold() => new(HoldReason.Majority, Missing, _takeover!.Present, NameMissing());

    private void BeginGathering(Takeover takeover, Instant now)
    {
        if (takeover.IsGathering) return;
        takeover.IsGathering = true;
        _parts.Inherited.Reopen();
        _parts.Pipeline.Hold();
        _end = now + GatheringTime;
        if (_end < takeover.EarliestEnd) _end = takeover.EarliestEnd;
    }

    /// <summary>Once the survivors are complete, or have had their time: who is missing is removed, and the next step made.</summary>
    private void EndGathering(Instant now)
    {
        if (_takeover is not { IsGathering: true } takeover) return;
        Instant end = takeover.Missing.Count == 0 ? takeover.QuietEnd : _end;
        // Survivors may have come, and lie unread.
        bool mayLieUnread = takeover.Missing.Count > 0 && _parts.KnownTo(now) < end;
        if (now < end || mayLieUnread)
        {
            _alarm.Set(now < end ? end : now + LookAgain);
            return;
        }
        if (takeover.Missing.Count > 0 && _parts.Settings.AwaitMajority && !takeover.HasMajority)
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
            _parts.Settings.Probes.Hit(Mark.SurvivorContradicted);
            _remove(node, MembershipRefusal.Removed, now);
        }
        foreach (ulong key in (List<ulong>)[.. takeover.Missing])
        {
            takeover.MarkRemoved(key);
            _parts.Removed++;
            _parts.Settings.Probes.Hit(Mark.SurvivorMissing);
        }
        foreach (ServerNode node in takeover.LeftBehind())
        {
            _parts.Settings.Probes.Hit(Mark.SurvivorLeftBehind);
            _remove(node, MembershipRefusal.Removed, now);
        }
        foreach (ulong key in takeover.Removed())
        {
            TellRemoved(key);
            _parts.Inherited.OnGone(key);
        }
        _parts.Groups.CloseInheritance();
        foreach (ServerNode node in _parts.Nodes.Live) _addJoins(node, now);
        _parts.Inherited.Complete(now);
        _parts.Pipeline.Release(now);
    }
}
