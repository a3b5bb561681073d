namespace QuickSilver.Protocol.Recovery.Repairs;

/// <summary>
/// Who asked this member for packets that it lacks itself: they get them when they arrive (first paper, section 2.2). A bounded list; the oldest
/// promise is forgotten when it is full, and the asker asks again.
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

    /// <summary>True when somebody was promised the packet: then this member is not the only one that lacks it. O(promises), which are few.</summary>
    public bool Has(ulong sequence)
    {
        foreach ((ulong Sequence, int Member) promise in _promises)
        {
            if (promise.Sequence == sequence) return true;
        }
        return false;
    }

    /// <summary>Takes out the members that were promised a packet, into <paramref name="members"/>. O(promises), which are few.</summary>
    public void Take(ulong sequence, List<int> members)
    {
        members.Clear();
        for (int left = _promises.Count; left > 0; left--)
        {
            (ulong Sequence, int Member) promise = _promises.Dequeue();
            if (promise.Sequence != sequence) _promises.Enqueue(promise);
            else if (!members.Contains(promise.Member)) members.Add(promise.Member);
        }
    }

    /// <summary>Forgets what was promised up to a sequence: everybody has it.</summary>
    public void ForgetThrough(ulong sequence)
    {
        for (int left = _promises.Count; left > 0; left--)
        {
            (ulong Sequence, int Member) promise = _promises.Dequeue();
            if (promise.Sequence > sequence) _promises.Enqueue(promise);
        }
    }
}
