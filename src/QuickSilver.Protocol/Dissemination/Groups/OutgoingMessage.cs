using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// One message of this node from its source to its stability: one pooled record, shared by all streams that carry it.
/// It goes back to the pool when every stream knows it stable and it was delivered here; already when it is packed and
/// was delivered here, if one stream carries it and nobody holds a ticket (<see cref="SentMessages"/>).
/// </summary>
internal sealed class OutgoingMessage
{
    private Payload? _payload;
    private Slice _slice;

    /// <summary>The next that waits for its own delivery.</summary>
    public OutgoingMessage? Next;

    public GroupSender Group = null!;
    public SendTicket? Ticket;
    public int Length;

    /// <summary>Place in the order in which the group's messages were taken from their sources: what flushes count
    /// by.</summary>
    public ulong Ordinal;

    /// <summary>Message number, once bound.</summary>
    public ulong Number;

    /// <summary>The step it is bound to.</summary>
    public StepNumber Step;

    /// <summary>The step of the group's message before it; none when it is the first ever.</summary>
    public StepNumber PreviousStep;

    /// <summary>Streams that have not yet packed all of it.</summary>
    public int Unpacked;

    /// <summary>Streams in which it is not yet stable.</summary>
    public int Unstable;

    /// <summary>Members removed before they were known to hold it, in the streams that are through with it.</summary>
    public int Removed;

    /// <summary>
    /// True when nothing of it waits for stability: it is stable everywhere and its ticket was told, or it is counted as part of a run.
    /// </summary>
    public bool IsComplete;

    /// <summary>True when it may be delivered here but an earlier message of its group may not.</summary>
    public bool OwnWaits;

    /// <summary>True when it was delivered here.</summary>
    public bool OwnDone;

    /// <summary>What waits to be delivered here, with a reference, while <see cref="OwnWaits"/>.</summary>
    public Slice OwnBytes;

    /// <summary>The message's bytes; empty after <see cref="ReleaseBytes"/>.</summary>
    public ReadOnlySpan<byte> Span => _payload is null ? _slice.Span : _payload.Span;

    /// <summary>The message's bytes when they lie in pooled memory; empty when the host's payload holds them.</summary>
    public ref readonly Slice Pooled => ref _slice;

    /// <summary>True for a message of a group; with a ticket, for the ticket's.</summary>
    public bool Is(GroupSender group, SendTicket? ticket) => Group == group && (ticket is null || Ticket == ticket);

    public void Hold(Payload payload)
    {
        _payload = payload;
        Length = payload.Span.Length;
    }

    /// <summary>Takes over one reference.</summary>
    public void Hold(in Slice slice)
    {
        // Field by field, as it was written a moment ago: read whole it would have to wait until those writes have reached the cache.
        _slice = new Slice(slice.Chunk, slice.Offset, slice.Length);
        Length = slice.Length;
    }

    /// <summary>Lets go of the bytes: every stream has packed them.</summary>
    public void ReleaseBytes()
    {
        _payload?.Release();
        _payload = null;
        _slice.Release();
        _slice = default;
    }
}
