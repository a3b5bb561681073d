namespace QuickSilver.Protocol.Security;

/// <summary>
/// Which counters of a writer in a lane have been read: the highest, and a ring of bits for those below. Counters that
/// have left the ring count as read. Allocates its bits once. Core thread only; O(1), but for a leap far ahead.
/// </summary>
internal sealed class ReplayWindow
{
    /// <summary>Counters below the highest that are told apart.</summary>
    public const int Reach = Bits - BitsOfAWord;

    private const int Bits = 8192;
    private const int BitsOfAWord = 64;

    private readonly ulong[] _words = new ulong[Bits / BitsOfAWord];
    private ulong _highest;

    /// <summary>True for a counter that has been read, or is too old to tell.</summary>
    public bool Contains(ulong counter)
    {
        if (counter > _highest) return false;
        if (_highest - counter >= Reach) return true;
        return (_words[counter / BitsOfAWord % (ulong)_words.Length] >> (int)(counter % BitsOfAWord) & 1) != 0;
    }

    /// <summary>A hash over the counters that have been read, for checks.</summary>
    internal ulong Digest()
    {
        ulong digest = _highest + 1;
        foreach (ulong word in _words) digest = (digest * 0x9E3779B97F4A7C15UL) + word;
        return digest;
    }

    /// <summary>Marks a counter as read.</summary>
    public void Mark(ulong counter)
    {
        if (counter > _highest)
        {
            ulong first = (_highest / BitsOfAWord) + 1;
            ulong last = counter / BitsOfAWord;
            if (last >= first + (ulong)_words.Length) Array.Clear(_words);
            else for (ulong word = first; word <= last; word++) _words[word % (ulong)_words.Length] = 0;
            _highest = counter;
        }
        else if (_highest - counter >= Reach) return;
        _words[counter / BitsOfAWord % (ulong)_words.Length] |= 1UL << (int)(counter % BitsOfAWord);
    }
}
