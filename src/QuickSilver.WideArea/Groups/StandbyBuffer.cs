using QuickSilver.WideArea.Records;

namespace QuickSilver.WideArea.Groups;

/// <summary>
/// What members of the site have sent to one group and other sites may lack, kept by a gateway that stands by: in the
/// order in which it came, until the active one tells that all sites hold it. Bounded: the oldest go. Not thread-safe.
/// </summary>
/// <param name="limit">Bytes, at most.</param>
internal sealed class StandbyBuffer(long limit)
{
    /// <summary>Senders whose numbers are known, at most.</summary>
    public const int MostSenders = 4096;

    private readonly Queue<OutgoingMessage> _messages = new();
    private readonly Dictionary<MemberId, ulong> _held = [];
    private readonly Queue<MemberId> _senders = new();
    private long _bytes;

    /// <summary>Messages that it keeps.</summary>
    public int Count => _messages.Count;

    /// <summary>Keeps a message, unless all sites hold it.</summary>
    /// <returns>How many older ones went for it.</returns>
    public int Add(in OutgoingMessage message)
    {
        if (IsHeld(message)) return 0;
        _messages.Enqueue(message);
        _bytes += message.Cost;
        int gone = 0;
        for (; _bytes > limit && _messages.Count > 1; gone++) Drop();
        return gone;
    }

    /// <summary>All other sites hold what a sender has sent, up to a number.</summary>
    public void OnHeld(MemberId sender, ulong sequence)
    {
        if (!_held.TryGetValue(sender, out ulong known))
        {
            if (_senders.Count == MostSenders) _held.Remove(_senders.Dequeue());
            _senders.Enqueue(sender);
        }
        if (sequence <= known) return;
        _held[sender] = sequence;
        while (_messages.TryPeek(out OutgoingMessage oldest) && IsHeld(oldest)) Drop();
    }

    /// <summary>True when all other sites hold a message.</summary>
    public bool IsHeld(in OutgoingMessage message) => message.Sequence <= _held.GetValueOrDefault(message.From);

    /// <summary>Of each sender, the last message that all other sites hold.</summary>
    public IReadOnlyDictionary<MemberId, ulong> Held => _held;

    /// <summary>Takes the oldest that some site may lack.</summary>
    public bool TryTake(out OutgoingMessage message)
    {
        while (_messages.TryPeek(out message))
        {
            Drop();
            if (!IsHeld(message)) return true;
        }
        return false;
    }

    private void Drop() => _bytes -= _messages.Dequeue().Cost;
}
