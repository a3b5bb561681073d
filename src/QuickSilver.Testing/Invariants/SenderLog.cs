using System.Runtime.InteropServices;

namespace QuickSilver.Testing.Invariants;

/// <summary>All messages of one sender to one group, in the order of their numbers: message n is entry n - 1.</summary>
internal sealed class SenderLog
{
    private readonly List<SentMessage> _messages = [];

    /// <summary>How many were admitted.</summary>
    public int Count => _messages.Count;

    /// <summary>How many have their number.</summary>
    public int Numbered { get; set; }

    /// <summary>How many are known stable.</summary>
    public int Stable { get; set; }

    /// <summary>True when its messages come from a source and so have no tickets.</summary>
    public bool IsPulled { get; set; }

    /// <summary>Long messages, by the number of their first pieces.</summary>
    public Dictionary<ulong, SentLongMessage> LongMessages { get; } = [];

    /// <summary>A message by its number, from 1. The reference is valid until the next is added.</summary>
    public ref SentMessage this[ulong number] => ref CollectionsMarshal.AsSpan(_messages)[(int)(number - 1)];

    /// <summary>True when a message with this number was admitted.</summary>
    public bool Has(ulong number) => number - 1 < (ulong)_messages.Count;

    /// <summary>Adds a message.</summary>
    /// <returns>The number it must get.</returns>
    public ulong Add(in SentMessage message)
    {
        _messages.Add(message);
        return (ulong)_messages.Count;
    }
}
