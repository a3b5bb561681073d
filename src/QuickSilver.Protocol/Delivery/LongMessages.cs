using System.Diagnostics.CodeAnalysis;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Delivery;

/// <summary>
/// The long messages that arrive in one session in a group: puts their pieces behind one another, and says how each
/// ends.
/// <para>
/// Idea: pieces are messages of the group. So they come in the order of sending, each once, and a piece that is missing
/// shows by the offset of the next. A long message is complete only with its last piece, at the offset where the bytes
/// end.
/// </para>
/// <para>
/// Awkward cases: a session that begins within a long message has not seen its first piece, and passes over the others.
/// A sender may go and say nothing: the host reports removed senders (<see cref="OnSenderClosed"/>) and new views of
/// the group (<see cref="OnViewChanged"/>). Pieces of a removed sender may still be recovered; those of one that has
/// left are not waited for. A first piece may come when its sender has left and come back. A receiver cannot see that,
/// so a sender gives up what it has not completed before it leaves. No view names a publisher: its long messages end by
/// its word, or with its removal.
/// </para>
/// <para>
/// Cost: one look-up a piece. Allocates one record a long message. Core thread only.
/// </para>
/// </summary>
/// <param name="begin">Makes the sink of a long message, from its sender and the number of its first piece; null:
/// nobody wants it.</param>
/// <param name="maySend">Whether a node sends in the group's newest view.</param>
/// <param name="counters">Counts how they end, pieces that are malformed, and long messages for which there is no
/// room.</param>
internal sealed class LongMessages(
    Func<NodeInfo, ulong, ILongMessageSink?> begin, Predicate<NodeInfo> maySend, DeliveryCounters counters)
{
    /// <summary>Limit on long messages of one sender that are under way; further ones are passed over. Hosts let their
    /// applications open at most <see cref="MaxOpenPerHandle"/> by each way into a group, so none is.</summary>
    public const int MaxOpenPerSender = 1024;

    /// <summary>Limit on long messages that a node has under way in a group as its member, and as its
    /// publisher.</summary>
    public const int MaxOpenPerHandle = 256;

    private readonly Dictionary<(ulong Sender, ulong Id), Incoming> _open = [];
    private readonly Dictionary<ulong, int> _openOf = [];

    /// <summary>Long messages under way.</summary>
    public int Count => _open.Count;

    /// <summary>Takes the next piece of a sender.</summary>
    public void OnPiece(NodeInfo sender, in DeliveryBatch message)
    {
        if (!MessagePiece.TryRead(message.First.Span, out MessagePiece piece))
        {
            counters.Rejected.Count(RejectReason.BadPiece);
            return;
        }
        var key = (sender.Number.Key, piece.Id);
        if (_open.TryGetValue(key, out Incoming? known))
        {
            // A piece is missing only if the sender lost it for everybody, or breaks the protocol.
            bool fits = piece.IsGivenUp || (!piece.IsFirst && piece.Offset == known.Length);
            if (!fits) End(key, known, LongMessageEnd.Broken);
            else Take(key, known, piece, message.First);
        }
        else if (piece.IsFirst && TryBegin(key, sender, message.Number, piece.IsPublished, out known))
        {
            Take(key, known, piece, message.First);
        }
    }

    /// <summary>Ends the long messages of a sender that was removed from the cluster: no piece follows.</summary>
    public void OnSenderClosed(NodeInfo sender) =>
        EndAll(incoming => incoming.Sender.Number == sender.Number, LongMessageEnd.SenderGone);

    /// <summary>Ends the long messages of senders that have left the group.</summary>
    public void OnViewChanged() => EndAll(HasLeft, LongMessageEnd.SenderGone);

    /// <summary>Ends all: the session is over.</summary>
    public void Close() => EndAll(static _ => true, LongMessageEnd.Left);

    private bool TryBegin(
        (ulong Sender, ulong Id) key,
        NodeInfo sender,
        ulong number,
        bool isPublished,
        [NotNullWhen(true)] out Incoming? incoming)
    {
        incoming = null;
        _openOf.TryGetValue(key.Sender, out int open);
        if (open == MaxOpenPerSender)
        {
            counters.Rejected.Count(RejectReason.NoRoom);
            return false;
        }
        if ((!isPublished && HasLeft(sender)) || begin(sender, number) is not { } sink) return false;
        incoming = new Incoming(sender, isPublished, sink);
        _open.Add(key, incoming);
        _openOf[key.Sender] = open + 1;
        return true;
    }

    private bool HasLeft(Incoming incoming) => !incoming.IsPublished && HasLeft(incoming.Sender);

    private bool HasLeft(NodeInfo sender) => !sender.IsRemoved && !maySend(sender);

    private void Take((ulong Sender, ulong Id) key, Incoming incoming, in MessagePiece piece, in Slice message)
    {
        incoming.Length += (ulong)piece.Bytes.Length;
        bool isWanted =
            piece.Bytes.IsEmpty || incoming.Sink.OnBytes(message.Part(piece.BytesOffset, piece.Bytes.Length));
        if (!isWanted) Remove(key);
        else if (piece.IsGivenUp) End(key, incoming, LongMessageEnd.GivenUp);
        else if (piece.IsLast) End(key, incoming, LongMessageEnd.Complete);
    }

    private void EndAll(Predicate<Incoming> which, LongMessageEnd end)
    {
        if (_open.Count == 0) return;
        foreach (((ulong Sender, ulong Id) key, Incoming incoming) in _open.ToArray())
        {
            if (which(incoming)) End(key, incoming, end);
        }
    }

    private void End((ulong Sender, ulong Id) key, Incoming incoming, LongMessageEnd end)
    {
        if (!Remove(key)) return;
        if (end == LongMessageEnd.Complete) counters.LongComplete++;
        else if (end == LongMessageEnd.GivenUp) counters.LongGivenUp++;
        else if (end != LongMessageEnd.Left) counters.LongCut++;
        incoming.Sink.OnEnded(end);
    }

    private bool Remove((ulong Sender, ulong Id) key)
    {
        if (!_open.Remove(key)) return false;
        if (--_openOf[key.Sender] == 0) _openOf.Remove(key.Sender);
        return true;
    }

    private sealed class Incoming(NodeInfo sender, bool isPublished, ILongMessageSink sink)
    {
        public NodeInfo Sender { get; } = sender;

        public bool IsPublished { get; } = isPublished;

        public ILongMessageSink Sink { get; } = sink;

        public ulong Length { get; set; }
    }
}
