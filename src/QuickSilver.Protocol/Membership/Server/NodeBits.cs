using System.Diagnostics;
using System.Numerics;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>A set of nodes by their slots. Grows as needed; a lookup costs one load. Core thread only.</summary>
internal sealed class NodeBits
{
    private ulong[] _words = [];

    /// <summary>Number of slots in the set.</summary>
    public int Count { get; private set; }

    /// <summary>True when the slot is in the set.</summary>
    public bool Contains(int slot)
    {
        int word = slot >> 6;
        return word < _words.Length && (_words[word] >> slot & 1) != 0;
    }

    /// <summary>Adds a slot to the set.</summary>
    /// <returns>False when it was there.</returns>
    public bool Add(int slot)
    {
        Debug.Assert(slot >= 0, "a slot is an index");
        int word = slot >> 6;
        if (word >= _words.Length) Array.Resize(ref _words, Math.Max(word + 1, _words.Length * 2));
        ulong bit = 1UL << slot;
        if ((_words[word] & bit) != 0) return false;
        _words[word] |= bit;
        Count++;
        return true;
    }

    /// <summary>Removes a slot from the set.</summary>
    /// <returns>False when it was not there.</returns>
    public bool Remove(int slot)
    {
        if (!Contains(slot)) return false;
        _words[slot >> 6] &= ~(1UL << slot);
        Count--;
        return true;
    }

    /// <summary>The first slot in the set that is not below <paramref name="from"/>; -1 when there is none.</summary>
    public int Next(int from)
    {
        for (int word = from >> 6; word < _words.Length; word++)
        {
            ulong rest = _words[word];
            if (word == from >> 6) rest &= ulong.MaxValue << from;
            if (rest != 0) return (word << 6) + BitOperations.TrailingZeroCount(rest);
        }
        return -1;
    }
}
