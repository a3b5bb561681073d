using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>A source of messages of any length and content, which it writes in any pieces and remembers.</summary>
internal sealed class RandomSource(SeededRandom random) : IMessageSource
{
    private int _alike;
    private int _length;

    public int Ready { get; set; }

    public List<byte[]> Written { get; } = [];

    /// <summary>Messages that were written side by side.</summary>
    public int InRuns { get; private set; }

    public bool Write(MessageWriter messages)
    {
        do
        {
            if (WriteBatch(messages) is > 0 and int count && !messages.EndMessages(count)) return true;
            if (!TryWriteNext(messages)) return false;
        }
        while (messages.EndMessage());
        return true;
    }

    // Sometimes fewer than there are, or than there is room for.
    private int WriteBatch(MessageWriter messages)
    {
        int count = 0;
        if (!messages.TryGetBatchRoom(out Span<byte> room, out int length)) return count;
        for (; room.Length >= length && Ready > 0 && _alike > 0 && _length == length
            && random.NextBelow(10) > 0; count++)
        {
            Ready--;
            _alike--;
            byte[] bytes = new byte[length];
            for (int index = 0; index < length; index++) bytes[index] = (byte)random.NextBelow(256);
            bytes.CopyTo(room);
            room = room[length..];
            Written.Add(bytes);
        }
        InRuns += count;
        return count;
    }

    private bool TryWriteNext(MessageWriter message)
    {
        if (Ready == 0)
        {
            // Something that must be forgotten.
            if (random.NextBelow(2) == 0) message.GetSpan(7)[..7].Fill(0xEE);
            if (random.NextBelow(4) == 0) message.Advance(Math.Min(7, message.GetSpan().Length));
            return false;
        }
        Ready--;
        byte[] bytes = new byte[Length()];
        for (int index = 0; index < bytes.Length; index++) bytes[index] = (byte)random.NextBelow(256);
        for (int at = 0; at < bytes.Length;)
        {
            int piece = (int)Math.Min(
                (ulong)(bytes.Length - at), 1 + random.NextBelow(random.NextBelow(3) == 0 ? 50UL : 100_000UL));
            Span<byte> room = message.GetSpan(random.NextBelow(2) == 0 ? piece : 0);
            piece = Math.Min(piece, room.Length);
            bytes.AsSpan(at, piece).CopyTo(room);
            message.Advance(piece);
            at += piece;
        }
        Written.Add(bytes);
        return true;
    }

    // Now and then many of one length.
    private int Length()
    {
        if (_alike > 0)
        {
            _alike--;
            return _length;
        }
        if (random.NextBelow(8) == 0) _alike = (int)random.NextBelow(40);
        return _length = AnyLength();
    }

    // Around where a length needs one more byte, and where a packet ends.
    private int AnyLength() => (int)(random.NextBelow(6) switch
    {
        0 => random.NextBelow(5),
        1 => 120 + random.NextBelow(16),
        2 => 1_300 + random.NextBelow(80),
        3 => 16_380 + random.NextBelow(10),
        4 => random.NextBelow(70_000),
        _ => 100UL,
    });
}
