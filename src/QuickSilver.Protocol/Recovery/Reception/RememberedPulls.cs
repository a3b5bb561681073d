namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>
/// Promises to members that asked for packets which this member lacks. The packets are sent to them when they arrive
/// (first paper, section 2.2). The list is bounded: when it is full the oldest promise is forgotten, and its asker asks
/// again.
/// </summary>
internal sealed class RememberedPulls
{
    private const int Capacity = 4096;

    private readonly Queue<(ulong Sequence, int Member)> _promises = new();

    /// <summary>True when nothing is promised.</summary>
    public bool IsEmpty => _promises.Count == 0;

    /// <summary>Promises a packet to a member.</summary>
    public void Add(ulong sequence, int member)
    {
        if (_promises.Count == Capacity) _promises.Dequeue();
        _promises.Enqueue((sequence, member));
    }

    /// <summary>
    /// True when the packet is promised: then this member is not the only one that lacks it. O(promises), which are
    /// few.
    /// </summary>
    public bool Has(ulong sequence)
    {
        foreach ((ulong Sequence, int Member) promise in _promises)
        {
            if (promise.Sequence == sequence) return true;
        }
        return false;
    }

    /// <summary>
    /// Moves the members that were promised a packet into <paramref name="members"/>. O(promises), which are few.
    /// </summary>
    public void Take(ulong sequence, List<int> members)
    {
        members.Clear();
        for (int remaining = _promises.Count; remaining > 0; remaining--)
        {
            (ulong Sequence, int Member) promise = _promises.Dequeue();
            if (promise.Sequence != sequence) _promises.Enqueue(promise);
            else if (!members.Contains(promise.Member)) members.Add(promise.Member);
        }
    }

    /// <summary>Forgets the promises up to a sequence that every member holds.</summary>
    public void ForgetThrough(ulong sequence)
    {
        for (int remaining = _promises.Count; remaining > 0; remaining--)
        {
            (ulong Sequence, int Member) promise = _promises.Dequeue();
            if (promise.Sequence > sequence) _promises.Enqueue(promise);
        }
    }
}
