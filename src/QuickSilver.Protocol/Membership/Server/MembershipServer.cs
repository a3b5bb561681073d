using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The membership server of one cluster, as a pure state machine. It assigns all numbers, decides regions, views, their
/// order and their addresses, and removes nodes that leave, fall silent or lose their connection. Core thread only.
/// <para>
/// A session outlives a connection. Numbered frames are kept by their sender until the other side has confirmed them.
/// So a node whose connection broke can return within the grace period and misses nothing.
/// </para>
/// Parts: <see cref="RegionCalculator"/> assigns nodes to regions, <see cref="StepMaker"/> computes a step's changes,
/// <see cref="StepPipeline"/> schedules and tracks steps. <see cref="ViewLedger"/> tracks who sends where and when a
/// view retires. <see cref="NotificationWriter"/> writes the notifications to the nodes.
/// <para>
/// A server that knows no node takes over the cluster of a returning node. The survivors report what they know, and
/// keep their numbers, groups and sessions. The first step gives them new regions and views in a later epoch. See
/// <see cref="Succession"/>. A server that has founded a cluster refuses such nodes, unless the cluster is young: then
/// it gives it up for the older one.
/// </para>
/// <para>
/// Malformed or impossible input closes the connection and is counted. If a registered node sent it, the node is
/// removed, since its later input cannot be trusted. Other nodes are not affected.
/// </para>
/// </summary>
internal sealed class MembershipServer
{
    private const int MaxWaitingChanges = 2 * ServerGroups.MaxGroups;

    private readonly MembershipServerSettings _settings;
    private readonly AlarmQueue _alarms;
    private readonly SeededRandom _random;
    private readonly IServerLinks _links;
    private ServerParts _parts;
    private FailureDetector _detector;
    private QuorumLossGuard _guard;
    private Succession _succession;
    private Registrar _registrar;
    private ReachabilityMonitor _reach;
    private SlowMemberJudge _slow;
    private JoinNotifier _notifier;
    private readonly NodeObservations _observed = new();
    private readonly FrameBuilder _frame = new();

    /// <summary>Makes a server without nodes, in an epoch of its own: the first of a new cluster instance.</summary>
    /// <param name="settings">The server's settings, validated by the host.</param>
    /// <param name="alarms">Fires the server's timers; may be shared with others.</param>
    /// <param name="random">Draws the server's id and the cluster instance.</param>
    /// <param name="links">Carries frames. Called from inside the methods here, and must not call back.</param>
    public MembershipServer(
        MembershipServerSettings settings, AlarmQueue alarms, SeededRandom random, IServerLinks links)
    {
        _settings = settings;
        _alarms = alarms;
        _random = random;
        _links = links;
        Found(null);
    }

    /// <summary>The cluster instance that this server has founded or taken over; datagrams carry it.</summary>
    public ulong Instance => _parts.ServerEpoch.Instance;

    /// <summary>The term of this server.</summary>
    public ulong Term => _parts.ServerEpoch.Epoch.Term;

    /// <summary>Present counts, and totals since the start. O(1).</summary>
    public MembershipStatistics Statistics => new(
        _parts.Nodes.Live.Count,
        _parts.Groups.Count,
        _parts.Regions.InhabitedCount,
        _parts.Merger?.MergedCount ?? 0,
        _parts.Ledger.Unretired.Count + _parts.Inherited.Count,
        _parts.Ledger.Retired,
        _parts.Pipeline.Last,
        _parts.Changes.Count,
        _parts.Removed);

    /// <summary>
    /// True while a step is being installed, or could be made: a server should wait for it before it stops.
    /// </summary>
    public bool IsBusy => _parts.Pipeline.Installing is not null || _parts.Maker.HasWork;

    /// <summary>Number of connections, registrations and joins refused, and nodes removed, for a reason.</summary>
    public ulong CountOf(MembershipRefusal reason) => _parts.Connections.CountOf(reason);

    /// <summary>A connection has opened. Its first frame must be a registration, within ten seconds.</summary>
    public void OnConnected(long connection, Instant now) => _parts.Connections.Open(connection, now);

    /// <summary>
    /// Takes a frame of a connection, without its length. Frames of closed or unknown connections are ignored.
    /// </summary>
    public void OnFrame(long connection, ReadOnlySpan<byte> frame, Instant now)
    {
        _parts.Pauses.Look(now);
        if (!_parts.Connections.TryFind(connection, out ServerNode? node)) return;
        if (node is null)
        {
            _registrar.OnFrame(connection, frame, now);
            return;
        }
        _detector.OnHeard(node, now);
        var reader = new WireReader(frame);
        var kind = (FrameKind)reader.ReadByte();
        if (kind is >= FrameKind.Join and <= FrameKind.Cease) node.Received++;
        bool good = kind switch
        {
            FrameKind.Heartbeat => OnHeartbeat(node, ref reader, now),
            FrameKind.Observed => OnObserved(node, ref reader, now),
            FrameKind.Goodbye => OnGoodbye(node, ref reader, now),
            FrameKind.Join => OnJoin(node, ref reader, false, now),
            FrameKind.Leave => OnLeave(node, ref reader, false, now),
            FrameKind.Publish => OnJoin(node, ref reader, true, now),
            FrameKind.Cease => OnLeave(node, ref reader, true, now),
            FrameKind.Installed => OnInstalled(node, ref reader, now),
            FrameKind.Switched => OnSwitched(node, ref reader),
            FrameKind.Done => OnDone(node, ref reader, now),
            FrameKind.Closed => OnClosed(node, ref reader, now),
            _ => false,
        };
        if (!good) Remove(node, MembershipRefusal.BadFrame, now);
    }

    /// <summary>A connection broke, or the other side closed it. Harmless for one that the server has closed.</summary>
    /// <param name="connection">The host's id of the connection.</param>
    /// <param name="now">The time of the event.</param>
    /// <param name="isEnded">True when the other side closed or reset it, so that its machine is reachable. False when
    /// it timed out, or a network on the way is down.</param>
    public void OnDisconnected(long connection, Instant now, bool isEnded = true)
    {
        _parts.Pauses.Look(now);
        if (_parts.Connections.Forget(connection) is { } node) _detector.OnDisconnected(node, isEnded, now);
    }

    /// <summary>The present hold, and the members it waits for.</summary>
    public MembershipHold Hold => _parts.Hold.Current;

    /// <summary>
    /// The operator declares the members of a name gone for good. Affects those that a takeover waits for, and
    /// registered ones without a connection or silent for two heartbeats.
    /// </summary>
    /// <returns>Number of members forgotten; 0 when none of that name is missing.</returns>
    public int Forget(string name, Instant now)
    {
        int forgotten = _succession.Forget(name, now);
        foreach (ServerNode node in (List<ServerNode>)[.. _parts.Nodes.Live])
        {
            if (node.Info.Name != name || (node.Connection is not null && !_guard.IsSilent(node, now))) continue;
            Remove(node, MembershipRefusal.Removed, now);
            forgotten++;
        }
        return forgotten;
    }

    /// <summary>
    /// All frames that arrived before a time have been passed in: no node is removed for frames that may be unread. A
    /// host that reads on other threads calls this repeatedly. One that never calls it must pass in frames at once.
    /// </summary>
    public void OnRead(Instant upTo) => _parts.ReadTo = upTo;

    /// <summary>Cancels the server's alarms; it is not used afterwards. Connections are left to the host.</summary>
    public void Stop()
    {
        _parts.Connections.Stop();
        StopParts();
    }

    private void StopParts()
    {
        _parts.Pipeline.Stop();
        _succession.Stop();
        _registrar.Stop();
        _guard.Stop();
        _parts.Hold.Stop();
        _notifier.Stop();
        _reach.Stop();
        _parts.Pauses.Stop();
        foreach (ServerNode node in _parts.Nodes.Live) node.Watch?.Cancel();
    }

    [MemberNotNull(
        nameof(_parts),
        nameof(_detector),
        nameof(_guard),
        nameof(_succession),
        nameof(_registrar),
        nameof(_reach),
        nameof(_slow),
        nameof(_notifier))]
    private void Found(ServerParts? before)
    {
        _parts = new ServerParts(_settings, _alarms, _random, _links, before);
        _guard = new QuorumLossGuard(
            _parts, (node, now) => _detector!.GiveTime(node, now), () => _succession!.IsGathering);
        _parts.Pipeline.MustAwait = _guard.MustAwait;
        _detector = new FailureDetector(_parts, _guard, Remove);
        _parts.Pauses.Tell(_detector.OnPaused);
        _succession = new Succession(_parts, _guard, Remove, AddJoins);
        _registrar = new Registrar(_parts, _detector, _guard, _succession, Remove, GiveUp);
        _reach = new ReachabilityMonitor(_parts, _guard, Remove);
        _slow = new SlowMemberJudge(_parts, _guard, Remove);
        _notifier = new JoinNotifier(_parts, _succession);
    }

    /// <summary>
    /// An older cluster has appeared: this server's young one is given up. Its nodes are notified and return; those
    /// without groups are not affected.
    /// </summary>
    private void GiveUp(List<(long Connection, HelloFrame Hello, byte[] Report)> survivors, Instant now)
    {
        Debug.Assert(survivors.Count > 0, "a cluster is given up for an older one");
        StopParts();
        byte[] forget = _frame.Begin(FrameKind.Forget).ToArray();
        foreach (ServerNode node in _parts.Nodes.Live)
        {
            if (node.Connection is { } open) _parts.Connections.Send(open, forget);
            _parts.Connections.Detach(node);
        }
        Found(_parts);
        foreach ((long connection, HelloFrame hello, byte[] report) in survivors)
        {
            _parts.Connections.AwaitReport(connection, hello);
            _registrar.OnFrame(connection, report, now);
        }
    }

    private bool OnHeartbeat(ServerNode node, ref WireReader reader, Instant now)
    {
        Debug.Assert(node.Connection is not null && !node.Info.IsRemoved, "the frame came on the node's connection");
        ulong received = reader.ReadVarint();
        if (!reader.IsAtEnd || !node.Log.TryConfirm(received)) return false;
        _frame.Begin(FrameKind.Heartbeat).WriteVarint(node.Received);
        _parts.Connections.Send(node.Connection!.Value, _frame.Span);
        _detector.OnHeartbeat(node, now);
        return true;
    }

    private bool OnObserved(ServerNode node, ref WireReader reader, Instant now)
    {
        if (!ObservedFrame.TryRead(ref reader, _observed)) return false;
        // A node may hear no others because the server's machine hears none. It is not judged by that.
        if (_guard.SeesFew(now)) return true;
        _reach.OnObserved(node, _observed, now);
        if (!node.Info.IsRemoved) _slow.OnObserved(node, _observed, now);
        return true;
    }

    private bool OnGoodbye(ServerNode node, ref WireReader reader, Instant now)
    {
        if (!reader.IsAtEnd) return false;
        Remove(node, MembershipRefusal.None, now);
        return true;
    }

    private bool OnJoin(ServerNode node, ref WireReader reader, bool isPublisher, Instant now)
    {
        byte mode = reader.ReadByte();
        int count = Math.Min(FrameFields.ReadCount(ref reader, 1), EntryFrames.MaxEntries + 1);
        var names = new List<string>(count);
        for (int index = 0; index < count && !reader.Failed; index++)
            names.Add(FrameFields.ReadText(ref reader, FrameFields.MaxRequestedNameBytes));
        if (!reader.IsAtEnd || count > EntryFrames.MaxEntries) return false;
        if (node.WaitingChanges.Count + node.Deferred.Count + count > MaxWaitingChanges) return false;
        foreach (string name in names)
        {
            if (_links.MayEnter(node.Connection!.Value, node.Info.Name, name, isPublisher))
                node.Deferred.Add((name, mode, isPublisher));
            else
                RefuseEntry(node, name, isPublisher, MembershipRefusal.NotAllowed);
        }
        _notifier.OnJoin(now);

        // A survivor that is still to register may have a number for the name.
        if (!_succession.IsGathering) AddJoins(node, now);
        return true;
    }

    private void AddJoins(ServerNode node, Instant now)
    {
        if (node.Deferred.Count == 0) return;
        _parts.Groups.Expect(node.Deferred);
        foreach ((string name, byte mode, bool isPublisher) in node.Deferred)
        {
            MembershipRefusal refusal = _parts.Groups.TryGet(node, name, mode, out ServerGroup? group, now);
            if (refusal == MembershipRefusal.None)
            {
                _parts.Changes.Add(node, new GroupChange(group!.Counter, true, isPublisher));
                continue;
            }
            RefuseEntry(node, name, isPublisher, refusal);
        }
        node.Deferred = [];
        _parts.Pipeline.OnChange(false, now);
    }

    private void RefuseEntry(ServerNode node, string name, bool isPublisher, MembershipRefusal refusal)
    {
        _parts.Connections.Count(refusal);
        _frame.Begin(isPublisher ? FrameKind.PublishRefused : FrameKind.JoinRefused);
        _frame.WriteByte((byte)refusal).WriteText(name);
        _parts.Nodes.Send(node, _frame.ToArray());
    }

    private bool OnLeave(ServerNode node, ref WireReader reader, bool isPublisher, Instant now)
    {
        int count = Math.Min(FrameFields.ReadCount(ref reader, 1), EntryFrames.MaxEntries + 1);
        var counters = new List<uint>(count);
        for (int index = 0; index < count && !reader.Failed; index++) counters.Add(FrameFields.ReadCounter(ref reader));
        if (!reader.IsAtEnd || count > EntryFrames.MaxEntries) return false;
        if (node.WaitingChanges.Count + count > MaxWaitingChanges) return false;
        foreach (uint counter in counters) _parts.Changes.Add(node, new GroupChange(counter, false, isPublisher));
        _parts.Pipeline.OnChange(false, now);
        return true;
    }

    private bool OnInstalled(ServerNode node, ref WireReader reader, Instant now)
    {
        ulong step = reader.ReadVarint();
        ulong received = reader.ReadVarint();
        bool isNext = reader.IsAtEnd && step == node.Installed + 1 && step <= _parts.Pipeline.Last;
        if (!isNext || !node.Log.TryConfirm(received)) return false;
        node.Installed = step;
        if (step >= node.LastLeave && node.LeftIn.Count > 0)
        {
            node.LeftIn.Clear();
            SpareRoom.GiveBack(node.LeftIn);
        }
        _parts.Pipeline.OnInstalled(node, step, now);
        return true;
    }

    private bool OnSwitched(ServerNode node, ref WireReader reader)
    {
        ulong step = reader.ReadVarint();
        if (!reader.IsAtEnd || step > node.Installed) return false;
        _parts.Pipeline.OnSwitched(node, step);
        return true;
    }

    private bool OnDone(ServerNode node, ref WireReader reader, Instant now)
    {
        var number = new ViewNumber(FrameFields.ReadEpoch(ref reader), FrameFields.ReadCounter(ref reader));
        ulong step = reader.ReadVarint();
        if (!reader.IsAtEnd) return false;
        if (number.Epoch != _parts.ServerEpoch.Epoch)
        {
            // A report written before the welcome still carries a step of the former epoch.
            _parts.Inherited.OnDone(node, number, now);
            return true;
        }
        if (step > _parts.Pipeline.Last) return false;
        uint view = number.Counter;
        if (_parts.Ledger.OnDone(node, view, step, now)) _parts.Pipeline.OnChange(false, now);
        return true;
    }

    private bool OnClosed(ServerNode node, ref WireReader reader, Instant now)
    {
        var number = new ViewNumber(FrameFields.ReadEpoch(ref reader), FrameFields.ReadCounter(ref reader));
        ulong[] senders = new ulong[FrameFields.ReadCount(ref reader, 1)];
        for (int index = 0; index < senders.Length && !reader.Failed; index++)
            senders[index] = FrameFields.ReadKey(ref reader);
        if (!reader.IsAtEnd) return false;
        if (number.Epoch != _parts.ServerEpoch.Epoch) _parts.Inherited.OnClosed(node, number, senders, now);
        else if (_parts.Ledger.OnClosed(node, number.Counter, senders, now)) _parts.Pipeline.OnChange(false, now);
        return true;
    }

    /// <summary>
    /// Removes a node from the cluster. The nodes that know it are notified at once, and the next step takes it out of
    /// its region.
    /// </summary>
    private void Remove(ServerNode node, MembershipRefusal reason, Instant now)
    {
        Debug.Assert(!node.Info.IsRemoved, "a node is removed once");
        _parts.Removed++;
        node.Watch?.Cancel();
        if (reason == MembershipRefusal.None || node.Connection is not { } connection)
        {
            if (node.Connection is null) _parts.Connections.Count(reason);
            _parts.Connections.Detach(node);
        }
        else
        {
            _parts.Connections.Refuse(connection, reason);
            node.Connection = null;
        }
        _parts.Changes.Drop(node);
        byte[] frame = _frame.Begin(FrameKind.NodeRemoved).WriteVarint(node.Key).WriteByte((byte)reason).ToArray();
        _succession.OnRemoved(node);
        foreach (ServerNode other in _parts.Nodes.Live)
        {
            // Nodes that were taken over may know each other from views of the former server.
            bool knows = other != node && (other.Known.Remove(node.Slot) || (node.IsInherited && other.IsInherited));
            if (knows) _parts.Nodes.Send(other, frame);
        }
        _parts.Nodes.Remove(node);
        _parts.Ledger.OnRemoved(node, now);
        _parts.Inherited.OnRemoved(node, now);
        _parts.Pipeline.OnRemoved(node, now);
        _reach.OnRemoved(node, now);
        _slow.OnRemoved(node);
        _parts.Groups.ForgetIdle(_parts.Nodes, now);
        _parts.Pipeline.OnChange(node.HasGroups, now);
    }
}
