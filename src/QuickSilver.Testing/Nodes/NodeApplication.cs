using System.Buffers;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Logs;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Nodes;

/// <summary>The application on one simulated node: sends what the test asks for, logs what comes, and tells the
/// invariants of both. Runs inside the node's turns.</summary>
internal sealed partial class NodeApplication(SimulatedNode node, RunContext run, ClusterChecks checks) : INodeUpcalls
{
    private readonly Dictionary<string, SimulatedGroup> _groups = new(StringComparer.Ordinal);
    private readonly Dictionary<string, SimulatedGroup> _publishers = new(StringComparer.Ordinal);

    /// <summary>The groups the node is in.</summary>
    public IReadOnlyDictionary<string, SimulatedGroup> Groups => _groups;

    /// <summary>The groups the node publishes to.</summary>
    public IReadOnlyDictionary<string, SimulatedGroup> Publishers => _publishers;

    /// <summary>True once a session has begun.</summary>
    public bool HasBegun { get; private set; }

    /// <summary>A session begins.</summary>
    /// <returns>What follows it.</returns>
    public SimulatedGroup BeginSession(GroupInfo group, bool isPublisher)
    {
        HasBegun = true;
        GroupLog log = checks.GroupOf(group.Name, group.Id);
        checks.Stability.Learn(group.Id, log);
        var session = new SimulatedGroup(
            node, group.Id, log, node.Stack.Cluster.Installed, isPublisher);
        if (!SessionsOf(isPublisher).TryAdd(log.Name, session))
            throw run.Violation("D3", $"node {node.Index} was admitted to {log.Name} twice");
        return session;
    }

    /// <summary>A session has begun.</summary>
    public void OnAdmitted(LocalGroup group)
    {
        SimulatedGroup session = SessionsOf(group.IsPublisher)[group.Info.Name];
        session.Local = group;
        if (run.Log is null) return;
        string begins = group.IsPublisher ? "publishes" : "session";
        run.Note(node.Index, $"{begins} {session.Log.LogName} {RunLog.Text(session.Began)}");
        NoteView(session);
    }

    /// <summary>A join has returned.</summary>
    public void OnJoinCompleted(IReadOnlyList<string> names, bool isPublisher)
    {
        foreach (string name in names)
        {
            if (!SessionsOf(isPublisher).TryGetValue(name, out SimulatedGroup? session))
            {
                throw run.Violation("D9", $"node {node.Index} completed its join of {name} without being admitted");
            }
            session.IsJoined = true;
            if (isPublisher) continue;
            if (run.Log is not null) run.Note(node.Index, $"joined {session.Log.LogName}");
            DeliveryChecks.OnJoinCompleted(session);
        }
    }

    /// <summary>The node is out of groups.</summary>
    public void OnLeft(IReadOnlyList<LocalGroup> groups)
    {
        foreach (LocalGroup group in groups)
        {
            if (!SessionsOf(group.IsPublisher).Remove(group.Info.Name, out SimulatedGroup? session)) continue;
            session.IsOpen = false;
            session.Incoming?.Close();
            string ends = group.IsPublisher ? "ceased" : "left";
            if (run.Log is not null) run.Note(node.Index, $"{ends} {session.Log.LogName}");
        }
    }

    /// <summary>Messages are delivered in a session.</summary>
    public void OnMessages(SimulatedGroup session, NodeInfo sender, in DeliveryBatch messages)
    {
        if (session.IsPublisher)
            throw run.Violation("D3", $"node {node.Index} only publishes to {session.Name}, and got messages");
        ReadOnlySpan<byte> all = messages.Span;
        for (int index = 0; index < messages.Count; index++)
        {
            Slice payload = messages[index];
            if (!all.Slice(index * messages.Distance, messages.Length).SequenceEqual(payload.Span))
                throw run.Violation(
                    "D1", $"a run of {messages.Count} messages to {session.Name} says two things of its message "
                        + $"{index}");
            OnMessage(session, new DeliveredMessage(sender, messages.Number + (ulong)index, payload));
        }
        if (!messages.IsPiece) return;
        session.Incoming ??= session.Local.ReceiveLongMessages(
            (from, number) => checks.LongMessages.OnBegun(session, from, number));
        session.Incoming.OnPiece(sender, messages);
    }

    /// <summary>Messages are lost in a session.</summary>
    public void OnLoss(SimulatedGroup session, NodeInfo sender, ulong first, ulong count)
    {
        session.Losses++;
        int from = checks.Views.NodeOf(sender.Number.Key);
        if (IsNoted(session)) run.Note(node.Index, $"lost {session.Log.LogName} {from} {first} {count}");
        checks.Deliveries.OnLoss(session, sender, first, count, from >= 0 && checks.Lives(from));
        if (session.Mode == GroupModes.Ordered) checks.Ordered.Together.OnLoss(session, from, first, count);
    }

    /// <summary>A session has a new view.</summary>
    public void OnViewChanged(SimulatedGroup session)
    {
        node.CheckViews();
        session.Incoming?.OnViewChanged();
        if (session.Mode == GroupModes.Ordered) checks.Ordered.OnView(session, session.Local.View);
        if (run.Log is not null) NoteView(session);
    }

    /// <summary>Those that go on together are told to a session.</summary>
    public void OnTransition(SimulatedGroup session, IReadOnlyList<NodeInfo> together) =>
        checks.Ordered.OnTransition(session, [.. together.Select(member => checks.Views.NodeOf(member.Number.Key))]);

    /// <inheritdoc/>
    public void OnStepInstalled(InstalledStep step, Instant now) =>
        checks.Views.OnOpened(node.Index, step.Opened, checks.Removals);

    /// <inheritdoc/>
    public void OnStepActivated(StepNumber step, Instant now) =>
        run.Trace.Add(TraceKind.Step, run.Now, (ulong)node.Index + (1UL << 32), step.Counter);

    /// <inheritdoc/>
    public void OnRegistered(NodeInfo self, Instant now)
    {
        if (run.Log is not null) run.Note(node.Index, "registered");
        checks.Views.OnRegistered(node.Index, self, checks.Lives);
        node.OnRegistered();
    }

    /// <inheritdoc/>
    public void OnConnectionChanged(bool connected, Instant now) =>
        run.Trace.Add(TraceKind.Lifecycle, run.Now, (ulong)node.Index, connected ? 1UL : 0);

    /// <inheritdoc/>
    public void OnNodesRemoved(IReadOnlyList<NodeInfo> nodes, Instant now)
    {
        run.Trace.Add(TraceKind.Lifecycle, run.Now, (ulong)node.Index, 2 + (ulong)nodes.Count);
        checks.Removals.OnTold(node.Index, node.Stack.Cluster.Installed, nodes);
    }

    /// <inheritdoc/>
    public void OnCarrierChanged(NodeInfo other, CarrierChange change, Instant now) =>
        run.Trace.Add(TraceKind.Lifecycle, run.Now, (ulong)node.Index, ((ulong)change << 32) + other.Number.Key);

    /// <inheritdoc/>
    public void OnExpelled(MembershipRefusal reason, Instant now) => node.OnExpelled(reason);

    private void OnMessage(SimulatedGroup session, in DeliveredMessage message)
    {
        int sender = checks.Deliveries.OnMessage(session, message);
        if (session.Mode == GroupModes.Ordered) checks.Ordered.OnMessage(session, sender, message.Number);
        if (IsNoted(session))
            run.Note(
                node.Index,
                $"got {session.Log.LogName} {sender} {message.Number} {message.Payload.Length} "
                    + $"{Crc32C.Of(message.Payload.Span):x8}");
        if (run.Options.KeepsReceived) session.Add(sender, message.Number);
        node.Work.OnMessageDelivered();
    }

    private void NoteView(SimulatedGroup session)
    {
        ClusterView cluster = node.Stack.Cluster;
        IEnumerable<int> members = cluster.ViewsOf(session.Id)
            .SelectMany(view => view.MembersOf(session.Id))
            .Select(member => checks.Views.NodeOf(member.Number.Key));
        string view = RunLog.Text(cluster.GroupViewOf(session.Id));
        string sees = session.IsPublisher ? "sees" : "view";
        run.Note(node.Index, $"{sees} {session.Log.LogName} {view} {string.Join(',', members.Order())}");
    }

    private Dictionary<string, SimulatedGroup> SessionsOf(bool isPublisher) => isPublisher ? _publishers : _groups;

    // The checker of logs knows the promises of reliable groups.
    private bool IsNoted(SimulatedGroup group) => run.Log is not null && !group.Log.IsTimed;
}
