using System.Buffers;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Logs;
using QuickSilver.Testing.Scheduling;

namespace QuickSilver.Testing.Nodes;

/// <summary>What the application sends, from the word of the test until a message is stable.</summary>
internal sealed partial class NodeApplication
{
    private const int LongestStaged = 2_048;

    /// <summary>The mark of a message that is taken before waiting messages of other groups.</summary>
    public const string GatheredMark = "a message passes those of other groups in its stage";

    private readonly Stack<SimulatedPayload> _payloads = new();
    private SimulatedOutboxes? _outboxes;
    private SimulatedTogether? _together;
    private ulong _longMessages;

    /// <summary>Payloads that the protocol holds.</summary>
    public int PayloadsOut { get; private set; }

    /// <summary>A name for a long message of the node that no other has.</summary>
    public ulong NextLongMessage() => ++_longMessages;

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

    /// <summary>The protocol has taken a message, or it is given up.</summary>
    public void OnTakenFromStage(in StagedMessage message)
    {
        if (message.Ordinal != ++message.Group.TakenFromStage)
            throw run.Violation(
                "D5", $"message {message.Ordinal} of the stage of node {node.Index} to {message.Group.Name} is taken "
                    + $"as number {message.Group.TakenFromStage}");
    }

    /// <summary>A message is taken before waiting messages of other groups.</summary>
    public void OnGathered() => run.Mark(GatheredMark);

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
