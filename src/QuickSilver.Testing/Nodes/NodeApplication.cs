using System.Buffers;
using System.Runtime.InteropServices;
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
internal sealed class NodeApplication(SimulatedNode node, RunContext run, ClusterChecks checks) : INodeUpcalls
{
    private const int LongestStaged = 2_048;

    /// <summary>The mark of a message that is taken before waiting messages of other groups.</summary>
    public const string GatheredMark = "a message passes those of other groups in its stage";

    private readonly Dictionary<string, SimulatedGroup> _groups = new(StringComparer.Ordinal);
    private readonly Dictionary<string, SimulatedGroup> _publishers = new(StringComparer.Ordinal);
    private readonly Stack<SimulatedPayload> _payloads = new();
    private SimulatedOutboxes? _outboxes;
    private SimulatedTogether? _together;
    private ulong _longMessages;

    /// <summary>The groups the node is in.</summary>
    public IReadOnlyDictionary<string, SimulatedGroup> Groups => _groups;

    /// <summary>The groups the node publishes to.</summary>
    public IReadOnlyDictionary<string, SimulatedGroup> Publishers => _publishers;

    /// <summary>Payloads that the protocol holds.</summary>
    public int PayloadsOut { get; private set; }

    /// <summary>True once a session has begun.</summary>
    public bool HasBegun { get; private set; }

    /// <summary>A name for a long message of the node that no other has.</summary>
    public ulong NextLongMessage() => ++_longMessages;

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

    /// <summary>Sends a message with a ticket: it is handed over when the protocol asks for it.</summary>
    public void Send(SimulatedGroup group, int bytes, Instant now) => Give(group, 1, bytes, isHanded: true, now);

    /// <summary>Lets a source of the group give so many messages more.</summary>
    public void Pull(SimulatedGroup group, int count, int bytes, Instant now) =>
        Give(group, count, bytes, isHanded: false, now);

    /// <summary>Sends a message as an application does: if it needs a ticket, or is long, it is handed over, otherwise
    /// written.</summary>
    public void Stage(SimulatedGroup group, int bytes, bool isConfirmed, Instant now) =>
        Give(group, 1, bytes, isConfirmed || bytes > LongestStaged, now);

    /// <summary>Lets a source of the group give messages without end, or ends that.</summary>
    /// <param name="group">The group.</param>
    /// <param name="bytes">Size of each; 0: no more.</param>
    /// <param name="now">The present instant.</param>
    public void PullEndlessly(SimulatedGroup group, int bytes, Instant now)
    {
        SourceOf(group).EndlessBytes = bytes;
        group.Local.Sender.Signal(SourceOf(group), now);
    }

    /// <summary>Writes the next message of a source.</summary>
    public void WritePulled(SimulatedGroup group, int bytes, IBufferWriter<byte> message)
    {
        if (group.Log.IsTimed && message is MessageWriter writer) writer.Traits = TraitsOf(group);
        WritePulled(group, message.GetSpan(bytes)[..bytes]);
        message.Advance(bytes);
    }

    /// <summary>Makes a message where there is room for it.</summary>
    public void WritePulled(SimulatedGroup group, Span<byte> room)
    {
        SenderLog log = group.Log.Of(node.Index);
        log.IsPulled = true;
        int bytes = room.Length;
        SimulatedPayload.Fill(room, Identity(group, log.Count + 1));
        ulong number = log.Add(Sent(group, room));
        if (group.Mode == GroupModes.Ordered) checks.Ordered.OnSent(node.Index, group.Log.Index, number);
        if (IsNoted(group))
            run.Note(node.Index, $"sent {group.Log.LogName} {number} {bytes} {Crc32C.Of(room):x8}");
        node.Work.OnMessageSent();
    }

    /// <summary>Sends one message to several ordered groups at once.</summary>
    public void SendTogether(SimulatedGroup[] groups, int bytes, Instant now) =>
        (_together ??= new SimulatedTogether(this, node.Stack)).Add(groups, bytes, now);

    /// <summary>Writes the next message to several ordered groups.</summary>
    public void WriteTogether(SimulatedGroup[] groups, int bytes, MessageWriter message)
    {
        Span<byte> room = message.GetSpan(bytes)[..bytes];
        SimulatedPayload.Fill(room, Identity(groups[0], groups[0].Log.Of(node.Index).Count + 1));
        var numbers = new ulong[groups.Length];
        for (int index = 0; index < groups.Length; index++)
        {
            SimulatedGroup group = groups[index];
            SenderLog log = group.Log.Of(node.Index);
            log.IsPulled = true;
            numbers[index] = log.Add(Sent(group, room));
            checks.Ordered.OnSent(node.Index, group.Log.Index, numbers[index]);
            if (IsNoted(group))
                run.Note(
                    node.Index, $"sent {group.Log.LogName} {numbers[index]} {bytes} {Crc32C.Of(room):x8}");
            node.Work.OnMessageSent();
        }
        checks.Ordered.Together.OnSent(node.Index, groups, numbers);
        message.Advance(bytes);
    }

    /// <summary>Hands over the word that a long message is given up.</summary>
    public void HandGivenUp(SimulatedGroup group, SentLongMessage message, MessageWriter messages)
    {
        SimulatedPayload payload = RentPayload();
        var writer = new WireWriter(payload.Start(MessagePiece.MaxHeadLength));
        MessagePiece.WriteGivenUp(ref writer, message.Id, (ulong)message.Content.Length);
        message.IsGivenUp = true;
        payload.Cut(writer.Written);
        Hand(group, payload, isPiece: true, messages);
    }

    /// <summary>Makes a message with a ticket in memory of the application's, and hands it over.</summary>
    public void Hand(SimulatedGroup group, int bytes, MessageWriter messages)
    {
        SenderLog log = group.Log.Of(node.Index);
        SimulatedPayload payload = RentPayload();
        payload.Traits = group.Log.IsTimed ? TraitsOf(group) : default;
        Span<byte> room = payload.Start(bytes);
        ulong identity = Identity(group, log.Count + 1);
        SimulatedPayload.Fill(room, identity);
        int part = group.Writers?.WritePiece(room, identity, (ulong)log.Count + 1, log) ?? -1;
        if (part >= 0) payload.Cut(part);
        Hand(group, payload, isPiece: part >= 0, messages);
    }

    /// <summary>A message has its number.</summary>
    public void OnNumbered(SimulatedGroup group, ulong expected, ulong number, StepNumber groupView, int members)
    {
        SenderLog log = group.Log.Of(node.Index);
        if (number != expected)
            throw run.Violation(
                "D5", $"message {expected} of node {node.Index} to {group.Name} was given number {number}");
        ref SentMessage message = ref log[expected];
        bool isAgain = message.IsNumbered && group.Mode == GroupModes.Ordered
            && (groupView.IsNone || groupView >= message.GroupView);
        if (message.IsNumbered && !isAgain)
            throw run.Violation("D5", $"message {number} of node {node.Index} to {group.Name} was numbered twice");
        message.IsNumbered = true;
        message.GroupView = groupView;
        if (!isAgain) log.Numbered++;
        else if (groupView.IsNone) return;
        if (run.Log is not null)
            run.Note(node.Index, $"numbered {group.Log.LogName} {number} {RunLog.Text(groupView)}");
        node.CheckViews();
        if (checks.Views.FindGroupView(group.Id, groupView) is not { } audience)
        {
            throw run.Violation("V4",
                $"message {number} of node {node.Index} to {group.Name} is sent in group view {groupView}, which it "
                    + $"has not installed");
        }
        if (audience.Count != members)
        {
            throw run.Violation("V4",
                $"group view {groupView} of {group.Name} has {audience.Count} members; its sender {node.Index} counts "
                    + $"{members}");
        }
    }

    /// <summary>A message is stable.</summary>
    public void OnStable(SimulatedGroup group, ulong number)
    {
        SenderLog log = group.Log.Of(node.Index);
        ref SentMessage message = ref log[number];
        if (!message.IsNumbered)
        {
            throw run.Violation(
                "D8", $"message {number} of node {node.Index} to {group.Name} is said to be stable before it was sent");
        }
        if (message.IsStable)
            throw run.Violation(
                "D8", $"message {number} of node {node.Index} to {group.Name} was said to be stable twice");
        message.IsStable = true;
        log.Stable++;
        if (run.Log is not null) run.Note(node.Index, $"stable {group.Log.LogName} {number}");
        run.Trace.Add(TraceKind.Stable, run.Now, ((ulong)node.Index << 32) | (uint)group.Log.Index, number);
        // In other modes it has left the node, and that is all that is known.
        if (group.Mode != GroupModes.Reliable) return;
        checks.Stability.OnStable(group.Log, group.Id, node.Index, number, message, checks.Lives);
    }

    /// <summary>The source of a session; made when there is none.</summary>
    public SimulatedSource SourceOf(SimulatedGroup group)
    {
        if (group.Source is { } known) return known;
        var source = new SimulatedSource(this, group, writesBatches: node.Index % 2 == 1);
        group.Local.AddSource(source);
        return group.Source = source;
    }

    /// <summary>Takes a payload back.</summary>
    public void Return(SimulatedPayload payload)
    {
        PayloadsOut--;
        _payloads.Push(payload);
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

    /// <summary>The protocol has taken a message, or it is given up.</summary>
    public void OnTakenFromStage(in StagedMessage message)
    {
        if (message.Ordinal != ++message.Group.TakenFromStage)
            throw run.Violation(
                "D5", $"message {message.Ordinal} of the stage of node {node.Index} to {message.Group.Name} is taken "
                    + $"as number {message.Group.TakenFromStage}");
    }

    /// <summary>A message is taken before waiting messages of other groups.</summary>
    public void OnGathered() => CollectionsMarshal.GetValueRefOrAddDefault(run.Marks, GatheredMark, out _)++;

    private void Hand(SimulatedGroup group, SimulatedPayload payload, bool isPiece, MessageWriter messages)
    {
        ReadOnlySpan<byte> bytes = payload.Span;
        SenderLog log = group.Log.Of(node.Index);
        log.IsPulled |= group.Log.IsTimed;
        ulong number = log.Add(Sent(group, bytes));
        if (group.Mode == GroupModes.Ordered) checks.Ordered.OnSent(node.Index, group.Log.Index, number);
        if (IsNoted(group))
            run.Note(node.Index, $"sent {group.Log.LogName} {number} {bytes.Length} {log[number].Checksum:x8}");
        node.Work.OnMessageSent();
        SimulatedTicket? ticket = group.Log.IsTimed ? null : new SimulatedTicket(this, group, number);
        messages.Hand(payload, ticket, isPiece);
    }

    private SimulatedPayload RentPayload()
    {
        if (!_payloads.TryPop(out SimulatedPayload? payload)) payload = new SimulatedPayload(this);
        PayloadsOut++;
        return payload;
    }

    private void Give(SimulatedGroup group, int count, int bytes, bool isHanded, Instant now)
    {
        // Some nodes send as a host does, messages of all groups from one stage; others from a source for each group.
        if (node.Index % 3 == 2)
        {
            _outboxes ??= new SimulatedOutboxes(this, node.Stack);
            for (int index = 0; index < count; index++)
                _outboxes.Add(new StagedMessage(group, ++group.Staged, bytes, isHanded), now);
            return;
        }
        SimulatedSource source = SourceOf(group);
        for (int index = 0; index < count; index++) source.Sizes.Enqueue((bytes, isHanded));
        group.Local.Sender.Signal(source, now);
    }

    private Dictionary<string, SimulatedGroup> SessionsOf(bool isPublisher) => isPublisher ? _publishers : _groups;

    // The checker of logs knows the promises of reliable groups.
    private bool IsNoted(SimulatedGroup group) => run.Log is not null && !group.Log.IsTimed;

    private SentMessage Sent(SimulatedGroup group, ReadOnlySpan<byte> room)
    {
        var sent = new SentMessage { Length = room.Length, Checksum = Crc32C.Of(room), Admitted = run.Now };
        if (!group.Log.IsTimed) return sent;
        MessageTraits traits = TraitsOf(group);
        sent.Step = node.Stack.SendStep;
        sent.Life = node.TimedSettings.LifeOf(traits.Importance, traits.TimeToLive);
        sent.Key = traits.Key;
        return sent;
    }

    // Of the next message: some are of low importance, some of high, some have a time to live of their own.
    private MessageTraits TraitsOf(SimulatedGroup group)
    {
        int number = group.Log.Of(node.Index).Count + 1;
        int keys = run.Options.TimedKeys;
        byte importance = (number % 17) switch { 3 => Importance.Low, 7 => Importance.High, _ => Importance.Normal };
        if (keys > 0) importance = Importance.Normal;
        TimeSpan life = number % 23 == 5 ? TimeSpan.FromMilliseconds(200) : TimeSpan.Zero;
        return new MessageTraits(importance, life, keys > 0 ? (ulong)(number % keys) : null);
    }

    private ulong Identity(SimulatedGroup group, int number) =>
        ((ulong)node.Index << 48) + ((ulong)group.Log.Index << 32) + (uint)number;
}
