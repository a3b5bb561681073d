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
    // The last number of a sender that did not come, before one that all sites hold.
    private readonly Dictionary<MemberId, ulong> _gaps = [];
    private readonly HashSet<MemberId> _news = [];

    // Messages that are awaited, with the record in which they ended; and the last that came of each sender since.
    private readonly Dictionary<(MemberId Sender, ulong Sequence), ulong> _awaited = [];
    private readonly Dictionary<MemberId, ulong> _last = [];

    /// <summary>A message ends in the record that is being packed.</summary>
    public void OnEnded(MemberId sender, ulong sequence) => _ended.Add((sender, sequence));

    /// <summary>That record was sent.</summary>
    /// <param name="number">Its number.</param>
    public void OnRecord(ulong number)
    {
        foreach ((MemberId sender, ulong sequence) in _ended)
        {
            _open.Enqueue((number, sender, sequence));
            if (_awaited.Count == 0) continue;
            _last[sender] = sequence;
            if (_awaited.ContainsKey((sender, sequence))) _awaited[(sender, sequence)] = number;
        }
        _ended.Clear();
    }

    /// <summary>All sites held what a sender had sent, up to a number, when the gateway before this one
    /// ended.</summary>
    public void Begin(MemberId sender, ulong sequence) => _held[sender] = sequence;

    /// <summary>All sites hold the records below a number.</summary>
    public void OnLowest(ulong lowest)
    {
        while (_open.TryPeek(out (ulong Record, MemberId Sender, ulong Sequence) first) && first.Record < lowest)
        {
            _open.Dequeue();
            // As many as a gateway that stands by remembers.
            if (_held.Count >= StandbyBuffer.MostSenders && !_held.ContainsKey(first.Sender)) Forget();
            if (_held.GetValueOrDefault(first.Sender) + 1 < first.Sequence) _gaps[first.Sender] = first.Sequence - 1;
            _held[first.Sender] = first.Sequence;
            _news.Add(first.Sender);
        }
    }

    /// <summary>Finds a message. The first time goes through all that some site may lack; then one that has not come is
    /// awaited, until <see cref="Leave"/>.</summary>
    /// <param name="sender">Who sent it.</param>
    /// <param name="sequence">Its number.</param>
    /// <param name="record">The record in which it ended; else 0.</param>
    public SentPlace Find(MemberId sender, ulong sequence, out ulong record)
    {
        if (_awaited.TryGetValue((sender, sequence), out record))
        {
            if (record > 0) return SentPlace.InRecord;
            return _last.GetValueOrDefault(sender) > sequence ? SentPlace.Missed : SentPlace.NotYet;
        }
        if (sequence <= _held.GetValueOrDefault(sender))
            return sequence <= _gaps.GetValueOrDefault(sender) ? SentPlace.Missed : SentPlace.HeldByAll;
        foreach ((ulong number, MemberId from, ulong ended) in _open)
        {
            if (from != sender || ended < sequence) continue;
            if (ended > sequence) return SentPlace.Missed;
            record = number;
            return SentPlace.InRecord;
        }
        _awaited.Add((sender, sequence), 0);
        return SentPlace.NotYet;
    }

    /// <summary>A message is awaited no longer.</summary>
    public void Leave(MemberId sender, ulong sequence)
    {
        _awaited.Remove((sender, sequence));
        if (_awaited.Count == 0) _last.Clear();
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

    private void Forget()
    {
        _held.Clear();
        _gaps.Clear();
    }
}
