using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// One item of an inbox: a message (a reference to a part of a received packet's chunk, or, when chunks would be kept for too little, an array of its
/// own), a note between messages (a view, a loss), or the place of a message that was replaced.
/// </summary>
/// <param name="Body">A <see cref="Chunk"/> with one reference, a byte array, a <see cref="GroupView"/>, a <see cref="LossNote"/>, or the mark of a
/// message that a newer one has replaced.</param>
/// <param name="Sender">Who sent the message; null for notes.</param>
/// <param name="Number">The message's number.</param>
/// <param name="Offset">Where the message begins in its memory.</param>
/// <param name="Length">Its length in bytes.</param>
/// <param name="Pinned">Bytes of memory that this entry keeps from being used again and none before it in the inbox does.</param>
internal readonly record struct InboxEntry(object? Body, NodeInfo? Sender, ulong Number, int Offset, int Length, int Pinned)
{
    private static readonly object SupersededMark = new();

    /// <summary>Makes a note.</summary>
    /// <param name="body">A view or a loss.</param>
    public static InboxEntry Note(object body) => new(body, null, 0, 0, 0, 0);

    /// <summary>True for messages.</summary>
    public bool IsMessage => Sender is not null && !IsSuperseded;

    /// <summary>True for the place of a message that a newer one with the same key has replaced: its sender and number are left.</summary>
    public bool IsSuperseded => ReferenceEquals(Body, SupersededMark);

    /// <summary>The chunk that a reference is held on; null for messages with an array of their own.</summary>
    public Chunk? Chunk => Body as Chunk;

    /// <summary>The message's bytes.</summary>
    public ReadOnlyMemory<byte> Memory => Body is Chunk chunk ? chunk.Memory.Slice(Offset, Length) : (byte[]?)Body;

    /// <summary>The message's bytes.</summary>
    public ReadOnlySpan<byte> Span => Body is Chunk chunk ? chunk.AsSpan(Offset, Length) : (byte[]?)Body;

    /// <summary>What is left of a message that was replaced.</summary>
    public InboxEntry ToSuperseded() => new(SupersededMark, Sender, Number, 0, 0, 0);

    /// <summary>What is lost with an entry that goes unread and is no view: the loss that it notes, or its message.</summary>
    /// <param name="reason">Why a message goes; one that was replaced has been lost before, and keeps that reason.</param>
    public Loss ToLoss(LossReason reason) => Body is LossNote note
        ? new Loss(note.Sender, note.First, note.Count, note.Reason)
        : new Loss(Sender!, Number, 1, IsSuperseded ? LossReason.Superseded : reason);

    /// <summary>The message's bytes as an array that is nobody else's: the entry's own one if it has one, else a copy.</summary>
    public byte[] ToOwned() => Body as byte[] ?? Span.ToArray();
}
