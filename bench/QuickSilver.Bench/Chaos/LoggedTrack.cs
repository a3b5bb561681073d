namespace QuickSilver.Bench.Chaos;

/// <summary>
/// What one session saw of one sender's life in one group. Checks as it grows that numbers rise by one but for losses
/// that were told: order, no duplicate, no silent gap.
/// </summary>
internal sealed class LoggedTrack
{
    private ulong _last;
    private bool _isOpen = true;

    /// <summary>The messages, numbers rising.</summary>
    public List<LoggedMessage> Messages { get; } = [];

    /// <summary>How many losses were told.</summary>
    public int Losses { get; private set; }

    /// <summary>The last number delivered or lost; 0: none.</summary>
    public ulong Last => _last;

    /// <summary>A message was read.</summary>
    /// <returns>What is wrong; null: nothing.</returns>
    public string? Add(LoggedMessage message)
    {
        ulong expected = _last + 1;
        bool isNext = _isOpen || message.Number == expected;
        if (message.Number <= _last) return $"{message.Number} came after {_last}: out of order, or twice";
        _last = message.Number;
        _isOpen = false;
        Messages.Add(message);
        return isNext ? null : $"{message.Number} came where {expected} was due, and no loss was told";
    }

    /// <summary>A loss was told.</summary>
    /// <returns>What is wrong; null: nothing.</returns>
    public string? AddLoss(ulong first, ulong count)
    {
        Losses++;
        if (!_isOpen && first != _last + 1) return $"a loss of {count} from {first} was told where {_last + 1} was due";
        if (count == 0) _isOpen = true;
        else _last = first + count - 1;
        return null;
    }

    /// <summary>Whether a message was delivered. O(log messages).</summary>
    public bool Has(ulong number)
    {
        int low = 0;
        int high = Messages.Count - 1;
        while (low <= high)
        {
            int middle = (low + high) / 2;
            if (Messages[middle].Number == number) return true;
            if (Messages[middle].Number < number) low = middle + 1;
            else high = middle - 1;
        }
        return false;
    }
}
