using System.Runtime.CompilerServices;

namespace QuickSilver.Protocol.Wire;

/// <summary>
/// Messages that a newer message with the same key replaces, newest first. Only those are named that may still be
/// missing somewhere: a receiver that lacks one does not ask for it any longer.
/// </summary>
internal struct TimedReplaced
{
    /// <summary>Limit on the messages named.</summary>
    public const int Max = 4;

    private Entries _entries;

    /// <summary>How many messages are named.</summary>
    public int Count { get; private set; }

    /// <summary>One of them, from 0.</summary>
    public readonly Entry this[int index] => _entries[index];

    /// <summary>Names another message; nothing when all places are taken.</summary>
    public void Add(in Entry entry)
    {
        if (Count < Max) _entries[Count++] = entry;
    }

    /// <summary>Writes count and messages, each by its distance from the one before it in the list.</summary>
    internal readonly void WriteTo(ref WireWriter writer, ulong first, ulong number)
    {
        writer.WriteByte((byte)Count);
        for (int index = 0; index < Count; index++)
        {
            Entry entry = _entries[index];
            writer.WriteVarint(first - (entry.First + (ulong)entry.Packets));
            writer.WriteVarint((ulong)entry.Packets);
            writer.WriteVarint(number - entry.Number);
            first = entry.First;
            number = entry.Number;
        }
    }

    /// <summary>Reads a list; a bad one fails the reader.</summary>
    internal static TimedReplaced Read(scoped ref WireReader reader, ulong first, ulong number)
    {
        var replaced = default(TimedReplaced);
        int count = reader.ReadByte();
        if (count > Max) reader.Fail();
        for (int index = 0; index < count && !reader.Failed; index++)
        {
            ulong gap = reader.ReadVarint();
            ulong packets = reader.ReadVarint(TimedHead.MaxFragments);
            ulong messages = reader.ReadVarint();
            bool isBefore = gap < first && packets > 0 && packets < first - gap && messages > 0 && messages < number;
            if (!isBefore)
            {
                reader.Fail();
                break;
            }
            first -= gap + packets;
            number -= messages;
            replaced.Add(new Entry(first, (int)packets, number));
        }
        return replaced;
    }

    /// <summary>A message that is replaced.</summary>
    /// <param name="First">Sequence of its first packet.</param>
    /// <param name="Packets">How many packets it has.</param>
    /// <param name="Number">Its number.</param>
    public readonly record struct Entry(ulong First, int Packets, ulong Number);

    [InlineArray(Max)]
    private struct Entries
    {
        private Entry _first;
    }
}
