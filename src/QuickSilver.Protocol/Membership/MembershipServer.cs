using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Membership.Server;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The membership server of one cluster, as a pure state machine: it gives out all numbers, decides regions, views, their order and their addresses,
/// and takes nodes out that go, fall silent or lose their connection. Core thread only.
/// <para>
/// A session is more than a connection: frames that matter are numbered and kept by their sender until the other side has confirmed them, so a node
/// whose connection broke comes back within the grace and misses nothing. The decisions are made by <see cref="RegionCalculator"/> (who shares a
/// region), <see cref="StepMaker"/> (what a step changes), <see cref="StepPipeline"/> (when, and how far it has come), <see cref="ViewLedger"/> (who
/// sends where, and when a view retires) and <see cref="NoticeWriter"/> (who is told what).
/// </para>
/// <para>
/// A server that knows no node and is found by one of another server takes that server's cluster over: the survivors report what they know, keep their
/// numbers, groups and stays, and the first step gives them new regions and views in an epoch that follows the old one. See <see cref="Takeover"/> and
/// <see cref="InheritedViews"/>. A server that has begun a cluster of its own refuses them.
/// </para>
/// <para>
/// Input that breaks the format, or claims what cannot be, closes the connection and is counted; if a registered node sent it, the node is removed,
/// since what it will say next cannot be relied upon. Others notice nothing else.
/// </para>
/// </summary>
public sealed class MembershipServer
{
    private const int MaxWaitingChanges = 2 * GroupTable.MaxGroups;
    private const int MaxRequestedNameBytes = 1 << 10;
    private static readonly TimeSpan LateAlarm = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan HelloTimeout = TimeSpan.FromSeconds(10);
    private static readonly int Refusals = Enum.GetValues<MembershipRefusal>().Length;

    private readonly MembershipServerSettings _settings;
    private readonly AlarmQueue _alarms;
    private readonly IServerLinks _links;
    private readonly Reign _reign;
    private readonly NodeTable _nodes;
    private readonly GroupTable _groups = new();
    private readonly RegionCalculator _regions = new();
    private readonly ViewLedger _ledger;
    private readonly InheritedViews _inherited;
    private readonly StepMaker _maker;
    private readonly StepPipeline _pipeline;
    private readonly Dictionary<long, ServerNode?> _connections = [];
    private readonly Dictionary<long, HelloFrame> _reporting = [];
    private readonly Queue<(long Connection, Instant Due)> _greeting = new();
    private readonly Alarm _greetingAlarm;
    private readonly Alarm _gatheringAlarm;
    private readonly FrameBuilder _frame = new();
    private readonly ulong[] _refused = new ulong[Refusals];
    private ulong _removed;
    private Takeover? _takeover;
    private Instant _gatheringEnd;

    /// <summary>Makes a server without nodes, in an epoch of its own: the first of a new cluster instance.</summary>
    /// <param name="settings">Validated by the host.</param>
    /// <param name="alarms">Fires the server's timers; may be shared with others.</param>
    /// <param name="random">Draws the server's id and the cluster instance.</param>
    /// <param name="links">Carries frames. Called from inside the methods here, and must not call back.</param>
    public MembershipServer(MembershipServerSettings settings, AlarmQueue alarms, SeededRandom random, IServerLinks links)
    {
        _settings = settings;
        _alarms = alarms;
        _links = links;
        _reign = new Reign(new Epoch(1, random.NextUInt64()), random.NextUInt64());
        _nodes = new NodeTable(links);
        _ledger = new ViewLedger(_reign, _nodes, _regions, new AddressPool(settings));
        _maker = new StepMaker(_nodes, _regions, _ledger, new NoticeWriter(_nodes, _regions, _groups, settings.Replication));
        _pipeline = new StepPipeline(settings, alarms, _nodes, _maker);
        _greetingAlarm = new Alarm(alarms, CloseSilentConnections);
        _gatheringAlarm = new Alarm(alarms, EndGathering);
        _inherited = new InheritedViews(_nodes);
    }

    /// <summary>The cluster instance that this server has made, or taken over; datagrams carry it.</summary>
    public ulong Instance => _reign.Instance;

    /// <summary>Counts of the present, and since the start. O(1).</summary>
    public MembershipStatistics Statistics => new(
        _nodes.Live.Count, _groups.Count, _regions.InhabitedCount, _ledger.Unretired.Count + _inherited.Count, _ledger.Retired, _pipeline.Last, _maker.Waiting, _removed);

    /// <summary>How often a connection, a registration or a join was refused for a reason, or a node removed for it.</summary>
    public ulong CountOf(MembershipRefusal reason) => _refused[(int)reason];

    /// <summary>A connection has opened. Its first frame must be a registration, and must come within ten seconds.</summary>
    public void OnConnected(long connection, Instant now)
    {
        _connections[connection] = null;
        _greeting.Enqueue((connection, now + HelloTimeout));
        if (!_greetingAlarm.IsSet) _greetingAlarm.Set(now + HelloTimeout);
    }

    /// <summary>A frame came by a connection, without its length. Frames of connections that are closed, or were never opened, are ignored.</summary>
    public void OnFrame(long connection, ReadOnlySpan<byte> frame, Instant now)
    {
        if (!_connections.TryGetValue(connection, out ServerNode? node)) return;
        if (node is null)
        {
            if (_reporting.Remove(connection, out HelloFrame? returning)) OnReport(connection, returning, ReportFrame.TryRead(frame), now);
            else if (HelloFrame.TryRead(frame) is { } hello) OnHello(connection, hello, now);
            else Close(connection, MembershipRefusal.BadFrame);
            return;
        }
        node.LastHeard = now;
        var reader = new WireReader(frame);
        var kind = (FrameKind)reader.ReadByte();
        if (kind is >= FrameKind.Join and <= FrameKind.Done) node.Received++;
        bool good = kind switch
        {
            FrameKind.Heartbeat => OnHeartbeat(node, ref reader),
            FrameKind.Goodbye => OnGoodbye(node, ref reader, now),
            FrameKind.Join => OnJoin(node, ref reader, now),
            FrameKind.Leave => OnLeave(node, ref reader, now),
            FrameKind.Installed => OnInstalled(node, ref reader, now),
            FrameKind.Switched => OnSwitched(node, ref reader),
            FrameKind.Done => OnDone(node, ref reader, now),
            _ => false,
        };
        if (!good) Remove(node, MembershipRefusal.BadFrame, now);
    }

    /// <summary>A connection broke, or the other side closed it. Harmless for one that the server has closed.</summary>
    public void OnDisconnected(long connection, Instant now)
    {
        _reporting.Remove(connection);
        if (!_connections.Remove(connection, out ServerNode? node) || node is null) return;
        node.Connection = null;
        node.ReconnectBy = now + _settings.ReconnectGrace;
        Watch(node);
    }

    /// <summary>Cancels the server's alarms; it is not used afterwards. Connections are left to the host.</summary>
    public void Stop(Instant now)
    {
        _pipeline.Stop();
        _greetingAlarm.Cancel();
        _gatheringAlarm.Cancel();
        foreach (ServerNode node in _nodes.Live) node.Watch?.Cancel();
    }

    private void OnHello(long connection, HelloFrame hello, Instant now)
    {
        MembershipRefusal refusal = Judge(hello, out ServerNode? known);
        if (refusal != MembershipRefusal.None)
        {
            Refuse(connection, refusal);
            return;
        }
        if (known is not null && hello.Number.IsNone && hello.Incarnation > known.Info.Incarnation)
        {
            Remove(known, MembershipRefusal.Replaced, now);
            known = null;
        }
        bool isFromOther = !hello.Number.IsNone && hello.Session != _reign.Epoch;
        if (known is not null && isFromOther) Welcome(connection, known, now);
        else if (isFromOther)
        {
            _reporting[connection] = hello;
            _links.Send(connection, _frame.Begin(FrameKind.ReportRequest).Span);
        }
        else if (known is null) Register(connection, hello, now);
        else Resume(connection, known, hello.Received, now);
    }

    /// <summary>Decides about a registration, and finds the node that it comes from, or that it replaces.</summary>
    private MembershipRefusal Judge(HelloFrame hello, out ServerNode? known)
    {
        known = null;
        if (hello.ClusterName != _settings.ClusterName) return MembershipRefusal.WrongCluster;
        if (hello.SpokenVersion != HelloFrame.Version) return MembershipRefusal.WrongVersion;
        if (hello.Number.IsNone)
        {
            known = _nodes.Find(hello.Control);
            if (known is null) return _nodes.IsFull ? MembershipRefusal.Full : MembershipRefusal.None;

            // The same life without a number never saw its welcome. It may have it again, unless the number was used already: then it is another
            // process.
            bool isSame = hello.Incarnation == known.Info.Incarnation && known.Received == 0;
            return isSame || hello.Incarnation > known.Info.Incarnation ? MembershipRefusal.None : MembershipRefusal.Replaced;
        }
        known = _nodes.Find(hello.Number.Key);
        if (known is null && CanTakeOver(hello)) return _nodes.IsFull ? MembershipRefusal.Full : MembershipRefusal.None;
        return known is null || known.Info.Number != hello.Number || known.Info.Control != hello.Control || known.Info.Incarnation != hello.Incarnation
            ? MembershipRefusal.Removed
            : MembershipRefusal.None;
    }

    private void Register(long connection, HelloFrame hello, Instant now)
    {
        ServerNode node = _nodes.Add(hello, _reign.Epoch, _pipeline.Last);
        node.Watch = new Alarm(_alarms, at => Check(node, at));
        Attach(connection, node, false, now);
    }

    /// <summary>True while the node can be taken over from another server.</summary>
    private bool CanTakeOver(HelloFrame hello)
    {
        if (hello.Session == _reign.Epoch) return false;
        if (_takeover is not { } takeover) return _nodes.Live.Count == 0 && _pipeline.Last == 0;
        if (takeover.IsRemoved(hello.Number.Key) || hello.Instance != takeover.Instance) return false;
        return hello.Session < _reign.Epoch || (takeover.IsGathering && _pipeline.Last == 0);
    }

    private void OnReport(long connection, HelloFrame hello, ReportFrame? report, Instant now)
    {
        if (report is null)
        {
            Close(connection, MembershipRefusal.BadFrame);
            return;
        }
        MembershipRefusal refusal = Judge(hello, out ServerNode? known);
        if (refusal == MembershipRefusal.None && known is not null)
        {
            Welcome(connection, known, now);
            return;
        }
        if (refusal == MembershipRefusal.None && (_takeover is null || hello.Session > _reign.Epoch)) BeginTakeover(hello, report, now);
        bool isInTime = report.GroupEpoch == _reign.GroupEpoch && report.Groups.TrueForAll(_groups.CanInherit);
        if (refusal == MembershipRefusal.None && !isInTime) refusal = MembershipRefusal.Removed;
        if (refusal != MembershipRefusal.None)
        {
            Refuse(connection, refusal);
            return;
        }
        TakeOver(connection, hello, report, now);
    }

    private void BeginTakeover(HelloFrame hello, ReportFrame report, Instant now)
    {
        // Those that have registered so far come back, and report again: no step was made, so nothing has changed for them.
        _gatheringAlarm.Cancel();
        _takeover = null;
        while (_nodes.Live.Count > 0)
        {
            ServerNode node = _nodes.Live[^1];
            Detach(node);
            node.Watch?.Cancel();
            _maker.Drop(node);
            _nodes.Remove(node);
        }
        _takeover = new Takeover(hello.Instance) { EarliestEnd = now + _settings.ReconnectGrace };
        _inherited.Clear();
        _reign.Follow(hello.Session, report.GroupEpoch, hello.Instance);
        _groups.BeginTerm(_reign.Epoch.Term);
    }

    private void BeginGathering(Takeover takeover, Instant now)
    {
        if (takeover.IsGathering) return;
        takeover.IsGathering = true;
        _inherited.Reopen();
        _pipeline.Hold();
        _gatheringEnd = now + (_settings.FailureTimeout > TimeSpan.Zero ? _settings.FailureTimeout : _settings.ReconnectGrace);
        if (_gatheringEnd < takeover.EarliestEnd) _gatheringEnd = takeover.EarliestEnd;
        _gatheringAlarm.Set(takeover.EarliestEnd > now ? takeover.EarliestEnd : _gatheringEnd);
    }

    private void TakeOver(long connection, HelloFrame hello, ReportFrame report, Instant now)
    {
        Takeover takeover = _takeover!;
        BeginGathering(takeover, now);
        ServerNode node = _nodes.Inherit(hello, _pipeline.Last);
        node.Watch = new Alarm(_alarms, at => Check(node, at));
        uint[] groups = new uint[report.Groups.Count];
        for (int index = 0; index < groups.Length; index++)
        {
            _groups.Inherit(report.Groups[index]);
            groups[index] = report.Groups[index].Id.Counter;
        }
        _maker.Inherit(node, groups);
        foreach (ReportFrame.ViewEntry view in report.Views) _inherited.Add(node, view);
        takeover.Register(node, report);
        Attach(connection, node, false, now);
        foreach (ulong key in report.Removed)
        {
            if (_nodes.Find(key) is { } removed) Remove(removed, MembershipRefusal.Removed, now);
        }
        EndGathering(now);
    }

    /// <summary>Once the survivors are complete, or have had their time: who is missing is removed, and the next step made.</summary>
    private void EndGathering(Instant now)
    {
        if (_takeover is not { IsGathering: true } takeover) return;
        bool isComplete = takeover.Missing.Count == 0 && now >= takeover.EarliestEnd;
        if (!isComplete && now < _gatheringEnd)
        {
            _gatheringAlarm.Set(now < takeover.EarliestEnd ? takeover.EarliestEnd : _gatheringEnd);
            return;
        }
        _gatheringAlarm.Cancel();
        takeover.IsGathering = false;
        foreach (ulong key in (List<ulong>)[.. takeover.Missing])
        {
            takeover.MarkRemoved(key);
            _removed++;
        }
        foreach (ServerNode node in takeover.LeftBehind()) Remove(node, MembershipRefusal.Removed, now);
        foreach (ulong key in takeover.Removed())
        {
            byte[] frame = _frame.Begin(FrameKind.NodeRemoved).WriteVarint(key).ToArray();
            foreach (ServerNode node in _nodes.Live)
            {
                if (node.IsInherited) _nodes.Send(node, frame);
            }
        }
        _groups.CloseInheritance();
        foreach (ServerNode node in _nodes.Live) AddJoins(node, now);
        _inherited.Complete();
        _pipeline.Release(now);
    }

    /// <summary>The node was taken over, and the welcome lost: it has taken nothing since, and sent nothing but its report.</summary>
    private void Welcome(long connection, ServerNode node, Instant now)
    {
        Detach(node);
        Attach(connection, node, false, now);
        foreach (byte[] frame in node.Log.Unconfirmed) _links.Send(connection, frame);
    }

    private void Resume(long connection, ServerNode node, ulong received, Instant now)
    {
        if (!node.Log.TryResume(received))
        {
            Refuse(connection, MembershipRefusal.BadFrame);
            return;
        }
        Detach(node);
        Attach(connection, node, true, now);
        foreach (byte[] frame in node.Log.Unconfirmed) _links.Send(connection, frame);
    }

    private void Detach(ServerNode node)
    {
        if (node.Connection is not { } old) return;
        _connections.Remove(old);
        _links.Close(old, MembershipRefusal.None);
    }

    private void Attach(long connection, ServerNode node, bool resumed, Instant now)
    {
        _connections[connection] = node;
        node.Connection = connection;
        node.ReconnectBy = Instant.Never;
        node.LastHeard = now;
        Watch(node);
        new WelcomeFrame(_reign.Epoch, node.Info.Number, _reign.GroupEpoch, Instance, node.BaseStep, node.Received, resumed).WriteTo(_frame);
        _links.Send(connection, _frame.Span);
    }

    private bool OnHeartbeat(ServerNode node, ref WireReader reader)
    {
        ulong received = reader.ReadVarint();
        if (!reader.IsAtEnd || !node.Log.TryConfirm(received)) return false;
        _links.Send(node.Connection!.Value, _frame.Begin(FrameKind.Heartbeat).WriteVarint(node.Received).Span);
        return true;
    }

    private bool OnGoodbye(ServerNode node, ref WireReader reader, Instant now)
    {
        if (!reader.IsAtEnd) return false;
        Remove(node, MembershipRefusal.None, now);
        return true;
    }

    private bool OnJoin(ServerNode node, ref WireReader reader, Instant now)
    {
        byte mode = reader.ReadByte();
        int count = Math.Min(FrameFields.ReadCount(ref reader, 1), EntryFrames.MaxEntries + 1);
        var names = new List<string>(count);
        for (int index = 0; index < count && !reader.Failed; index++) names.Add(FrameFields.ReadText(ref reader, MaxRequestedNameBytes));
        if (!reader.IsAtEnd || count > EntryFrames.MaxEntries || node.Pending.Count + node.Deferred.Count + count > MaxWaitingChanges) return false;
        foreach (string name in names) node.Deferred.Add((name, mode));

        // A name may be one that a survivor which is still to register has a number for.
        if (_takeover is not { IsGathering: true }) AddJoins(node, now);
        return true;
    }

    private void AddJoins(ServerNode node, Instant now)
    {
        if (node.Deferred.Count == 0) return;
        foreach ((string name, byte mode) in node.Deferred)
        {
            MembershipRefusal refusal = _groups.TryGet(name, mode, out ServerGroup? group);
            if (refusal == MembershipRefusal.None)
            {
                _maker.Add(node, new GroupChange(group!.Counter, true));
                continue;
            }
            _refused[(int)refusal]++;
            _nodes.Send(node, _frame.Begin(FrameKind.JoinRefused).WriteByte((byte)refusal).WriteText(name).ToArray());
        }
        node.Deferred.Clear();
        _pipeline.OnChange(false, now);
    }

    private bool OnLeave(ServerNode node, ref WireReader reader, Instant now)
    {
        int count = Math.Min(FrameFields.ReadCount(ref reader, 1), EntryFrames.MaxEntries + 1);
        var counters = new List<uint>(count);
        for (int index = 0; index < count && !reader.Failed; index++) counters.Add(FrameFields.ReadCounter(ref reader));
        if (!reader.IsAtEnd || count > EntryFrames.MaxEntries || node.Pending.Count + count > MaxWaitingChanges) return false;
        foreach (uint counter in counters) _maker.Add(node, new GroupChange(counter, false));
        _pipeline.OnChange(false, now);
        return true;
    }

    private bool OnInstalled(ServerNode node, ref WireReader reader, Instant now)
    {
        ulong step = reader.ReadVarint();
        ulong received = reader.ReadVarint();
        if (!reader.IsAtEnd || step != node.Installed + 1 || step > _pipeline.Last || !node.Log.TryConfirm(received)) return false;
        node.Installed = step;
        if (step >= node.LastLeave) node.LeftIn.Clear();
        _pipeline.OnInstalled(node, step, now);
        return true;
    }

    private bool OnSwitched(ServerNode node, ref WireReader reader)
    {
        ulong step = reader.ReadVarint();
        if (!reader.IsAtEnd || step > node.Installed) return false;
        _pipeline.OnSwitched(node, step);
        return true;
    }

    private bool OnDone(ServerNode node, ref WireReader reader, Instant now)
    {
        var number = new ViewNumber(FrameFields.ReadEpoch(ref reader), FrameFields.ReadCounter(ref reader));
        ulong step = reader.ReadVarint();
        if (!reader.IsAtEnd) return false;
        if (number.Epoch != _reign.Epoch)
        {
            // A report from before the welcome still carries a step of the epoch before.
            _inherited.OnDone(node, number);
            return true;
        }
        if (step > _pipeline.Last) return false;
        uint view = number.Counter;
        if (_ledger.OnDone(node, view, step, now)) _pipeline.OnChange(false, now);
        return true;
    }

    /// <summary>Takes a node out of the cluster: those that know it are told at once, and the next step takes it out of its region.</summary>
    private void Remove(ServerNode node, MembershipRefusal reason, Instant now)
    {
        _removed++;
        node.Watch?.Cancel();
        if (node.Connection is { } connection)
        {
            if (reason == MembershipRefusal.None)
            {
                _connections.Remove(connection);
                _links.Close(connection, reason);
            }
            else
            {
                Refuse(connection, reason);
            }
            node.Connection = null;
        }
        else
        {
            _refused[(int)reason]++;
        }
        _maker.Drop(node);
        byte[] frame = _frame.Begin(FrameKind.NodeRemoved).WriteVarint(node.Key).ToArray();
        if (_takeover is { IsGathering: true }) _takeover.MarkRemoved(node.Key);
        foreach (ServerNode other in _nodes.Live)
        {
            // Nodes that were taken over may know each other from views of the server before.
            bool knows = other != node && (other.Known.Remove(node.Slot) || (node.IsInherited && other.IsInherited));
            if (knows) _nodes.Send(other, frame);
        }
        _nodes.Remove(node);
        _ledger.OnRemoved(node, now);
        _inherited.OnRemoved(node);
        _pipeline.OnRemoved(node, now);
        _pipeline.OnChange(node.Region is not null, now);
    }

    /// <summary>Sets a node's alarm for the first instant at which it might have to be removed.</summary>
    private void Watch(ServerNode node)
    {
        Instant due = node.ReconnectBy;
        if (_settings.FailureTimeout > TimeSpan.Zero)
        {
            Instant silent = node.LastHeard + _settings.FailureTimeout;
            if (silent < due) due = silent;
        }
        node.WatchDue = due;
        if (due == Instant.Never) node.Watch!.Cancel();
        else node.Watch!.Set(due);
    }

    private void Check(ServerNode node, Instant now)
    {
        if (now - node.WatchDue > LateAlarm)
        {
            // This process stood still, and has not read yet what the node sent meanwhile: a late judge distrusts itself first.
            node.LastHeard = now;
            if (node.ReconnectBy != Instant.Never) node.ReconnectBy = now + _settings.ReconnectGrace;
            Watch(node);
            return;
        }
        bool silent = _settings.FailureTimeout > TimeSpan.Zero && node.LastHeard + _settings.FailureTimeout <= now;
        if (silent || node.ReconnectBy <= now) Remove(node, MembershipRefusal.Removed, now);
        else Watch(node);
    }

    private void CloseSilentConnections(Instant now)
    {
        while (_greeting.TryPeek(out (long Connection, Instant Due) first))
        {
            bool isWaiting = _connections.TryGetValue(first.Connection, out ServerNode? node) && node is null;
            if (isWaiting && first.Due > now)
            {
                _greetingAlarm.Set(first.Due);
                return;
            }
            _greeting.Dequeue();
            if (isWaiting) Close(first.Connection, MembershipRefusal.BadFrame);
        }
    }

    /// <summary>Tells the other side why, then closes.</summary>
    private void Refuse(long connection, MembershipRefusal reason)
    {
        _links.Send(connection, _frame.Begin(FrameKind.Expelled).WriteByte((byte)reason).Span);
        Close(connection, reason);
    }

    private void Close(long connection, MembershipRefusal reason)
    {
        _refused[(int)reason]++;
        _connections.Remove(connection);
        _reporting.Remove(connection);
        _links.Close(connection, reason);
    }
}
