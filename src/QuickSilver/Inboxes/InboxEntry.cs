using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// One entry of an inbox: a message, a note between messages (a view, a loss), or the slot of a replaced message. A
/// message is a reference to part of a received packet's chunk. It has an array of its own where it would pin too much
/// of the chunk.
/// </summary>
/// <param name="Body">A <see cref="Chunk"/> with one reference, a byte array, a <see cref="GroupView"/>, a
/// <see cref="LossNote"/>, or the mark of a replaced message.</param>
/// <param name="Sender">The sender of the message; null for notes.</param>
/// <param name="Number">The message's number.</param>
/// <param name="Offset">Start of the message in its memory.</param>
/// <param name="Length">Length of the message, in bytes.</param>
/// <param name="Pinned">Bytes of memory that this entry pins and no earlier entry of the inbox does.</param>
internal readonly record struct InboxEntry(
    object? Body, NodeInfo? Sender, ulong Number, int Offset, int Length, int Pinned)
{
    private static readonly object SupersededMark = new();

    /// <summary>Creates a note.</summary>
    /// <param name="body">A view or a loss.</param>
    public static InboxEntry Note(object body) => new(body, null, 0, 0, 0, 0);

    /// <summary>True for messages.</summary>
    public bool IsMessage => Sender is not null && !IsSuperseded;

    /// <summary>True for the slot of a replaced message, of which only the sender and the number remain.</summary>
    public bool IsSuperseded => ReferenceEquals(Body, SupersededMark);

    /// <summary>The chunk that the entry references; null for a message with an array of its own.</summary>
    public Chunk? Chunk => Body as Chunk;

    /// <summary>The message's bytes.</summary>
    public ReadOnlyMemory<byte> Memory => Body is Chunk chunk ? chunk.Memory.Slice(Offset, Length) : (byte[]?)Body;

    /// <summary>The message's bytes.</summary>
    public ReadOnlySpan<byte> Span => Body is Chunk chunk ? chunk.AsSpan(Offset, Length) : (byte[]?)Body;

    /// <summary>The slot that remains of a replaced message.</summary>
    public InboxEntry ToSuperseded() => new(SupersededMark, Sender, Number, 0, 0, 0);

    /// <summary>The loss that results from dropping this entry unread: its own loss note, or its message. Not for
    /// views.</summary>
    /// <param name="reason">Why a message is dropped; a replaced message keeps its earlier reason.</param>
    public Loss ToLoss(LossReason reason) => Body is LossNote note
        ? new Loss(note.Sender, note.First, note.Count, note.Reason)
        : new Loss(Sender!, Number, 1, IsSuperseded ? LossReason.Superseded : reason);

    /// <summary>Returns the message's bytes in an unshared array: the entry's own, or a copy.</summary>
    public byte[] ToOwned() => Body as byte[] ?? Span.ToArray();
}
