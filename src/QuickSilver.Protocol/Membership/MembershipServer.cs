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
    private readonly Epoch _epoch;
    private readonly NodeTable _nodes;
    private readonly GroupTable _groups = new();
    private readonly RegionCalculator _regions = new();
    private readonly ViewLedger _ledger;
    private readonly StepMaker _maker;
    private readonly StepPipeline _pipeline;
    private readonly Dictionary<long, ServerNode?> _connections = [];
    private readonly Queue<(long Connection, Instant Due)> _greeting = new();
    private readonly Alarm _greetingAlarm;
    private readonly FrameBuilder _frame = new();
    private readonly ulong[] _refused = new ulong[Refusals];
    private ulong _removed;

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
        _epoch = new Epoch(1, random.NextUInt64());
        Instance = random.NextUInt64();
        _nodes = new NodeTable(links);
        _ledger = new ViewLedger(_nodes, _regions, new AddressPool(settings));
        _maker = new StepMaker(_nodes, _regions, _ledger, new NoticeWriter(_nodes, _regions, _groups.All, settings.Replication));
        _pipeline = new StepPipeline(settings, alarms, _nodes, _maker);
        _greetingAlarm = new Alarm(alarms, CloseSilentConnections);
    }

    /// <summary>The cluster instance that this server has made; datagrams carry it.</summary>
    public ulong Instance { get; }

    /// <summary>Counts of the present, and since the start. O(1).</summary>
    public MembershipStatistics Statistics => new(
        _nodes.Live.Count, _groups.All.Count, _regions.InhabitedCount, _ledger.Unretired.Count, _ledger.Retired, _pipeline.Last, _maker.Waiting, _removed);

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
            if (HelloFrame.TryRead(frame) is { } hello) OnHello(connection, hello, now);
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
        if (known is null) Register(connection, hello, now);
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
        known = hello.Number.Epoch == _epoch ? _nodes.Find(hello.Number.Counter) : null;
        return known is null || known.Info.Control != hello.Control || known.Info.Incarnation != hello.Incarnation
            ? MembershipRefusal.Removed
            : MembershipRefusal.None;
    }

    private void Register(long connection, HelloFrame hello, Instant now)
    {
        ServerNode node = _nodes.Add(hello, _epoch, _pipeline.Last);
        node.Watch = new Alarm(_alarms, at => Check(node, at));
        Attach(connection, node, false, now);
    }

    private void Resume(long connection, ServerNode node, ulong received, Instant now)
    {
        if (!node.Log.TryResume(received))
        {
            Refuse(connection, MembershipRefusal.BadFrame);
            return;
        }
        if (node.Connection is { } old)
        {
            _connections.Remove(old);
            _links.Close(old, MembershipRefusal.None);
        }
        Attach(connection, node, true, now);
        foreach (byte[] frame in node.Log.Unconfirmed) _links.Send(connection, frame);
    }

    private void Attach(long connection, ServerNode node, bool resumed, Instant now)
    {
        _connections[connection] = node;
        node.Connection = connection;
        node.ReconnectBy = Instant.Never;
        node.LastHeard = now;
        Watch(node);
        new WelcomeFrame(node.Info.Number, Instance, node.BaseStep, node.Received, resumed).WriteTo(_frame);
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
        if (!reader.IsAtEnd || count > EntryFrames.MaxEntries || node.Pending.Count + count > MaxWaitingChanges) return false;
        foreach (string name in names)
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
        _pipeline.OnChange(false, now);
        return true;
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
        uint view = FrameFields.ReadCounter(ref reader);
        ulong step = reader.ReadVarint();
        if (!reader.IsAtEnd || step > _pipeline.Last) return false;
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
        byte[] frame = _frame.Begin(FrameKind.NodeRemoved).WriteVarint(node.Counter).ToArray();
        foreach (ServerNode other in _nodes.Live)
        {
            if (other != node && other.Known.Remove(node.Slot)) _nodes.Send(other, frame);
        }
        _nodes.Remove(node);
        _ledger.OnRemoved(node, now);
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
        _links.Close(connection, reason);
    }
}
