using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// One message of this node from its source to its stability: one pooled record, shared by all streams that carry it.
/// It returns to the pool when every stream knows it stable and it was delivered here. A message in one stream alone
/// and without a ticket returns earlier: when it is packed and was delivered here (<see cref="SentMessages"/>).
/// </summary>
internal sealed class OutgoingMessage
{
    private Payload? _payload;
    private Slice _slice;

    /// <summary>The next message that waits for its delivery on this node.</summary>
    public OutgoingMessage? Next;

    /// <summary>The same message as its next group has it, for one that goes to several groups at once; the first has
    /// the bytes of all.</summary>
    public OutgoingMessage? Also;

    public GroupLedger Group = null!;
    public SendTicket? Ticket;
    public int Length;

    /// <summary>
    /// Position in the order in which the group's messages were taken from their sources; flushes count by it.
    /// </summary>
    public ulong Ordinal;

    /// <summary>Message number, once bound.</summary>
    public ulong Number;

    /// <summary>The step it is bound to.</summary>
    public StepNumber Step;

    /// <summary>The step of the group's message before it; none when it is the first ever.</summary>
    public StepNumber PreviousStep;

    /// <summary>True for a piece of a long message.</summary>
    public bool IsPiece;

    /// <summary>What the sender says of it; written for groups whose mode has an engine.</summary>
    public MessageTraits Traits;

    /// <summary>Streams that have not yet packed all of it.</summary>
    public int Unpacked;

    /// <summary>Streams in which it is not yet stable.</summary>
    public int Unstable;

    /// <summary>Members removed before they were known to hold it, in the streams that have settled it.</summary>
    public int Removed;

    /// <summary>
    /// True when nothing of it waits for stability: it is stable everywhere and its ticket was notified, or it is
    /// counted as part of a batch.
    /// </summary>
    public bool IsComplete;

    /// <summary>True when it may be delivered here but an earlier message of its group may not.</summary>
    public bool OwnWaits;

    /// <summary>True when it was delivered here.</summary>
    public bool OwnDone;

    /// <summary>The bytes that wait to be delivered here, with a reference, while <see cref="OwnWaits"/>.</summary>
    public Slice OwnBytes;

    /// <summary>The message's bytes; empty after <see cref="ReleaseBytes"/>.</summary>
    public ReadOnlySpan<byte> Span => _payload is null ? _slice.Span : _payload.Span;

    /// <summary>The message's bytes when they lie in pooled memory; empty when the host's payload holds them.</summary>
    public ref readonly Slice Pooled => ref _slice;

    /// <summary>What the payload says of the message; null when it was written by its source.</summary>
    public MessageTraits? HandedTraits => _payload?.Traits;

    /// <summary>True for a message of a group; with a ticket, for the ticket's.</summary>
    public bool Is(GroupLedger group, SendTicket? ticket) => Group == group && (ticket is null || Ticket == ticket);

    public void Hold(Payload payload)
    {
        _payload = payload;
        Length = payload.Span.Length;
    }

    /// <summary>Takes one reference from the caller.</summary>
    public void Hold(in Slice slice)
    {
        // Field by field, as it was written a moment ago: a whole read would stall until those writes have reached the
        // cache.
        _slice = new Slice(slice.Chunk, slice.Offset, slice.Length);
        Length = slice.Length;
    }

    /// <summary>Releases the bytes: every stream has packed them.</summary>
    public void ReleaseBytes()
    {
        _payload?.Release();
        _payload = null;
        _slice.Release();
        _slice = default;
    }
}
