using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// What is recorded of one group's messages from this node: their numbers, how many are pending, who waits for their
/// stability, and the order in which they are delivered here. It is all that a stream knows of a group whose messages
/// it carries. Core thread only.
/// <para>
/// Numbers continue across steps, leaves and joins, and with them the step of the last message, which a group's first
/// message in a stream names. A message is pending from the moment it is taken from its source until it is stable in
/// every stream that carries it. Own delivery is by number, though a message bound later may be packed earlier, in
/// another view's stream. The records themselves form the list; usually a message is at its head when it is ready, and
/// passes without being kept.
/// </para>
/// <para>
/// A record returns to the pool when its message is stable and was delivered here. The record of a message that nobody
/// follows by itself returns as soon as it is packed and delivered. Cost: O(1) a message; nothing for flushes while
/// nobody waits.
/// </para>
/// </summary>
internal abstract class GroupLedger
{
    private StepNumber _lastStep;
    private ulong _ordinal;
    private FlushMarkers? _flushes;
    private OutgoingMessage? _head;
    private OutgoingMessage? _tail;

    private protected GroupLedger(GroupInfo group) => Group = group;

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Group { get; }

    /// <summary>Number of the message bound last; 0 before the first.</summary>
    public ulong LastNumber { get; private set; }

    /// <summary>Messages taken from sources and not yet known stable.</summary>
    public long PendingMessages { get; private set; }

    /// <summary>Their bytes.</summary>
    public long PendingBytes { get; private set; }

    /// <summary>
    /// Receives the events of this node as a member; replaced at each session, null between two.
    /// </summary>
    internal ISenderListener? Listener { get; private protected set; }

    /// <summary>Step of the message bound last; none before the first.</summary>
    internal StepNumber LastStep => _lastStep;

    /// <summary>
    /// True when every numbered message has been delivered here: the next can be as soon as it is packed.
    /// </summary>
    internal bool IsAllDelivered => _head is null;

    /// <summary>True when no message is in progress.</summary>
    private protected bool IsOver => PendingMessages == 0 && _head is null;

    /// <summary>Takes the numbers up to one for messages of a step.</summary>
    internal void Advance(ulong last, StepNumber step)
    {
        LastNumber = last;
        // Compared part by part: a whole copy right after the parts were written would stall on those writes.
        if (_lastStep != step) _lastStep = step;
    }

    /// <summary>Counts messages as pending from now on.</summary>
    /// <returns>Ordinal of the first, in the order in which messages were taken; the others follow it.</returns>
    internal ulong AddPending(int messages, long bytes)
    {
        ulong first = _ordinal + 1;
        _ordinal += (ulong)messages;
        PendingMessages += messages;
        PendingBytes += bytes;
        return first;
    }

    /// <summary>Calls back when everything that is pending now is stable; at once when nothing is.</summary>
    private protected void Flush(SendContext context, Action<Instant> flushed, Instant now)
    {
        if (PendingMessages == 0)
        {
            flushed(now);
            return;
        }
        _flushes ??= new FlushMarkers(context);
        _flushes.Add(_ordinal, PendingMessages, flushed);
    }

    /// <summary>Enters a numbered message into the order of delivery on this node.</summary>
    internal void OnNumbered(OutgoingMessage message)
    {
        System.Diagnostics.Debug.Assert(message.Next is null, "still in another list");
        if (_tail is null) _head = message;
        else _tail.Next = message;
        _tail = message;
    }

    /// <summary>
    /// All of a message is packed in the stream of this node's own region, or that stream gave up: it may be delivered
    /// here.
    /// </summary>
    /// <param name="own">What the node's own messages share, as for all members that take it.</param>
    /// <param name="message">The message.</param>
    /// <param name="inPacket">The packet's copy when it is in one piece and will be flushed; else empty.</param>
    /// <param name="now">The present instant.</param>
    internal void OnOwnCopyPacked(OwnMessages own, OutgoingMessage message, in Slice inPacket, Instant now)
    {
        // Without a session as a member nobody receives it here: there is no need to copy it.
        if (!inPacket.IsEmpty || Listener is null)
        {
            OnReady(own, message, inPacket, now);
            return;
        }
        bool isCopied = message.Pooled.IsEmpty;
        Slice bytes = isCopied ? own.Copy(message.Span) : message.Pooled;
        OnReady(own, message, bytes, now);
        own.Batch.Flush(now);
        if (isCopied) bytes.Release();
    }

    /// <summary>A message is stable in every stream that carries it.</summary>
    internal void OnStable(OwnMessages own, OutgoingMessage message, Instant now)
    {
        message.IsComplete = true;
        RemovePending(1, message.Length);
        ulong ordinal = message.Ordinal;
        if (!own.Context.IsClosed)
        {
            message.Ticket?.OnStable(message.Removed, now);
            _flushes?.OnStable(ordinal, 1, now);
        }
        if (message.OwnDone) own.Records.Return(message);
    }

    /// <summary>
    /// A message is no longer followed, and who holds it is not known: it is not pending any more, and neither its
    /// ticket nor a flush is told.
    /// </summary>
    internal void OnGivenUp(OwnMessages own, OutgoingMessage message)
    {
        message.IsComplete = true;
        RemovePending(1, message.Length);
        if (message.OwnDone) own.Records.Return(message);
    }

    /// <summary>
    /// A message is counted where it is sent, and becomes stable as part of a batch: at most own delivery still needs
    /// its record.
    /// </summary>
    internal static void OnCounted(OwnMessages own, OutgoingMessage message)
    {
        message.IsComplete = true;
        if (message.OwnDone) own.Records.Return(message);
    }

    /// <summary>Counted messages are stable.</summary>
    internal void OnStable(OwnMessages own, in SentBatch batch, Instant now)
    {
        RemovePending(batch.Count, batch.Bytes);
        if (!own.Context.IsClosed) _flushes?.OnStable(batch.FirstOrdinal, batch.Count, now);
    }

    private void RemovePending(int messages, long bytes)
    {
        PendingMessages -= messages;
        PendingBytes -= bytes;
    }

    // Delivers a message that may be delivered, or keeps it, with its own reference to the bytes, until all before it
    // have been. Delivered messages are in the batch of own messages when the call returns: the caller flushes it.
    private void OnReady(OwnMessages own, OutgoingMessage message, in Slice bytes, Instant now)
    {
        if (message != _head)
        {
            own.Context.Settings.Probes.Reached("a message is ready for its own node before an earlier one");
            bytes.Retain();
            message.OwnBytes = bytes;
            message.OwnWaits = true;
            return;
        }
        Deliver(own, message, bytes, now);
        while (_head is { OwnWaits: true } next)
        {
            Slice kept = next.OwnBytes;
            Deliver(own, next, kept, now);
            own.Batch.Flush(now);
            kept.Release();
        }
    }

    private void Deliver(OwnMessages own, OutgoingMessage message, in Slice bytes, Instant now)
    {
        _head = message.Next;
        message.Next = null;
        if (_head is null) _tail = null;
        message.OwnDone = true;
        if (Listener is not null)
        {
            DeliveryBatch batch = message.IsPiece
                ? DeliveryBatch.OfPiece(message.Number, bytes)
                : new DeliveryBatch(message.Number, bytes);
            own.Batch.Add(this, message.Step, batch, now);
        }
        if (message.IsComplete) own.Records.Return(message);
    }
}
