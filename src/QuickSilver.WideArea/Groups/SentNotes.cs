namespace QuickSilver.WideArea.Groups;

/// <summary>
/// Remembers which messages ended in which record of a group, until all sites hold the record. So it knows of each
/// sender the last message that all sites hold. Loop thread only.
/// </summary>
internal sealed class SentNotes
{
    private readonly List<(MemberId Sender, ulong Sequence)> _ended = [];
    private readonly Queue<(ulong Record, MemberId Sender, ulong Sequence)> _open = new();
    private readonly Dictionary<MemberId, ulong> _held = [];
    private readonly HashSet<MemberId> _news = [];

    /// <summary>A message ends in the record that is being packed.</summary>
    public void OnEnded(MemberId sender, ulong sequence) => _ended.Add((sender, sequence));

    /// <summary>That record was sent.</summary>
    /// <param name="number">Its number.</param>
    public void OnRecord(ulong number)
    {
        foreach ((MemberId sender, ulong sequence) in _ended) _open.Enqueue((number, sender, sequence));
        _ended.Clear();
    }

    /// <summary>All sites hold the records below a number.</summary>
    public void OnLowest(ulong lowest)
    {
        while (_open.TryPeek(out (ulong Record, MemberId Sender, ulong Sequence) first) && first.Record < lowest)
        {
            _open.Dequeue();
            // As many as a gateway that stands by remembers.
            if (_held.Count >= StandbyBuffer.MostSenders && !_held.ContainsKey(first.Sender)) _held.Clear();
            _held[first.Sender] = first.Sequence;
            _news.Add(first.Sender);
        }
    }

    /// <summary>Takes what has changed since the last time.</summary>
    /// <param name="all">True to take all that is known.</param>
    public (MemberId Sender, ulong Sequence)[] TakeNews(bool all)
    {
        if (!all && _news.Count == 0) return [];
        (MemberId, ulong)[] news = [.. _held.Where(one => all || _news.Contains(one.Key))
            .Select(static one => (one.Key, one.Value))];
        _news.Clear();
        return news;
    }
}
