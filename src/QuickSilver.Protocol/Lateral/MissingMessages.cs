using System.Diagnostics;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// The missing messages of one sender, by rising number. They come back mostly in their order: taking out the first,
/// and adding behind the last, cost O(1), others a move of the shorter side. Core thread only.
/// </summary>
internal sealed class MissingMessages
{
    private MissingMessage[] _messages = [];
    private int _first;

    /// <summary>Number of missing messages.</summary>
    public int Count { get; private set; }

    /// <summary>A message, by its place.</summary>
    public MissingMessage this[int index]
    {
        get => _messages[_first + index];
        set => _messages[_first + index] = value;
    }

    /// <summary>Place of a number; negative when it is not missing: the complement of where it belongs.</summary>
    public int Find(ulong number)
    {
        int low = 0;
        int high = Count - 1;
        while (low <= high)
        {
            int middle = (low + high) / 2;
            ulong found = this[middle].Number;
            if (found == number) return middle;
            if (found < number) low = middle + 1;
            else high = middle - 1;
        }
        return ~low;
    }

    /// <summary>Adds a message, unless its number is there.</summary>
    public void Add(in MissingMessage message)
    {
        int place = Count == 0 || this[Count - 1].Number < message.Number ? Count : ~Find(message.Number);
        if (place < 0) return;
        if (_first + Count == _messages.Length) MakeRoom();
        Array.Copy(_messages, _first + place, _messages, _first + place + 1, Count - place);
        _messages[_first + place] = message;
        Count++;
    }

    /// <summary>Takes out the message at a place.</summary>
    public void RemoveAt(int place)
    {
        Debug.Assert((uint)place < (uint)Count, "the message is missing");
        Count--;
        if (place <= Count / 2)
        {
            Array.Copy(_messages, _first, _messages, _first + 1, place);
            _messages[_first++] = default;
        }
        else
        {
            Array.Copy(_messages, _first + place + 1, _messages, _first + place, Count - place);
            _messages[_first + Count] = default;
        }
        if (Count == 0) _first = 0;
    }

    /// <summary>Takes out all.</summary>
    public void Clear()
    {
        _messages = [];
        _first = 0;
        Count = 0;
    }

    // At least half of the places are free afterwards: so a move pays for as many messages.
    private void MakeRoom()
    {
        MissingMessage[] room =
            Count * 2 <= _messages.Length && Count > 0 ? _messages : new MissingMessage[Math.Max(8, Count * 2)];
        Array.Copy(_messages, _first, room, 0, Count);
        if (room == _messages) Array.Clear(room, Count, _first);
        _messages = room;
        _first = 0;
    }
}
