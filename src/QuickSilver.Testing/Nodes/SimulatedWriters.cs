using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Invariants;

namespace QuickSilver.Testing.Nodes;

/// <summary>The long messages that one session sends: makes some of its messages pieces of them. What a message becomes
/// follows from its identity, so a run repeats itself.</summary>
/// <param name="session">The session.</param>
internal sealed class SimulatedWriters(SimulatedGroup session)
{
    private const int MaxOpen = 3;

    private readonly List<SentLongMessage> _open = [];
    private bool _hasEnded;

    /// <summary>Makes a message a piece of a long message, or leaves it alone.</summary>
    /// <param name="room">The message's bytes.</param>
    /// <param name="identity">Tells the message from all others.</param>
    /// <param name="number">Its number.</param>
    /// <param name="log">What its sender sent.</param>
    /// <returns>Its length as a piece; -1 when it stays as it is.</returns>
    public int WritePiece(Span<byte> room, ulong identity, ulong number, SenderLog log)
    {
        ulong luck = SeededRandom.Mix(identity ^ 0x10A6);
        if (_hasEnded || room.Length < MessagePiece.MaxHeadLength + 1 || luck % 8 == 0) return -1;
        bool isFirst = _open.Count == 0 || (_open.Count < MaxOpen && (luck >> 8) % 4 == 0);
        SentLongMessage message = isFirst ? Begin(number, log) : _open[(int)((luck >> 16) % (ulong)_open.Count)];
        var writer = new WireWriter(room);
        ulong offset = (ulong)message.Content.Length;
        if (!isFirst && (luck >> 24) % 16 == 0)
        {
            MessagePiece.WriteGivenUp(ref writer, message.Id, offset);
            message.IsGivenUp = true;
            _open.Remove(message);
            return writer.Written;
        }
        message.IsComplete = (luck >> 32) % 8 == 0;
        bool isEmpty = message.IsComplete && (luck >> 40) % 4 == 0;
        MessagePiece.WriteHead(ref writer, message.Id, offset, isFirst, message.IsComplete, session.IsPublisher);
        int length = isEmpty ? writer.Written : room.Length;
        message.Content.Add(room[writer.Written..length]);
        if (message.IsComplete) _open.Remove(message);
        return length;
    }

    /// <summary>The session is to end: no message becomes a piece any more.</summary>
    /// <returns>The long messages that are open, which are to be given up.</returns>
    public IReadOnlyList<SentLongMessage> End()
    {
        if (_hasEnded) return [];
        _hasEnded = true;
        return _open;
    }

    private SentLongMessage Begin(ulong number, SenderLog log)
    {
        var message = new SentLongMessage(session, session.Node.Application.NextLongMessage());
        log.LongMessages.Add(number, message);
        _open.Add(message);
        return message;
    }
}
