using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Inboxes;

/// <summary>What an inbox has to do, said as plainly as can be: a list of messages, a queue of what the reader has in
/// hand, and the fate of every number.</summary>
internal sealed class InboxModel(int capacity, long mostBytes, OverflowPolicy policy, bool holds, bool keyed)
{
    private readonly int _batch = keyed ? 1 : Math.Clamp(capacity / 2, 1, 64);
    private readonly List<Item> _stored = [];
    private readonly Queue<Item> _hand = new();

    /// <summary>Why a number never came, for those that did not.</summary>
    public Dictionary<(NodeInfo Sender, ulong Number), LossReason> Lost { get; } = [];

    public List<LossReason> Dropped { get; } = [];

    public bool HasConsumer { get; set; }

    public bool HasFailed { get; private set; }

    public long Bytes { get; private set; }

    public int Messages => _stored.Count + _hand.Count;

    public bool IsDrained => Messages == 0;

    public ulong View { get; set; }

    public void Deliver(NodeInfo sender, ulong number, int length, byte key)
    {
        if (HasFailed || (!HasConsumer && !holds)) return;
        int replaced = keyed ? _stored.FindIndex(item => item.Key == key) : -1;
        if (replaced >= 0) Drop(replaced, LossReason.Superseded);
        LossReason reason = HasConsumer ? LossReason.Overflow : LossReason.Unread;
        while (Messages >= capacity || (Bytes > 0 && Bytes + length > mostBytes))
        {
            if (HasConsumer && policy == OverflowPolicy.FailGroup)
            {
                HasFailed = true;
                return;
            }
            if ((HasConsumer && policy == OverflowPolicy.DropNewest) || _stored.Count == 0)
            {
                Lost[(sender, number)] = reason;
                Dropped.Add(reason);
                return;
            }
            Drop(0, reason);
        }
        _stored.Add(new Item(sender, number, length, key, View));
        Bytes += length;
    }

    public void Lose(NodeInfo sender, ulong number)
    {
        if (!HasFailed && (HasConsumer || holds)) Lost[(sender, number)] = LossReason.SenderFailed;
    }

    /// <summary>The message that a reader gets next, if there is one; it stays until <see cref="Take"/>.</summary>
    public Item? Peek()
    {
        for (int index = 0; _hand.Count == 0 && index < _batch && _stored.Count > 0; index++) Fill();
        return _hand.TryPeek(out Item? item) ? item : null;
    }

    /// <summary>The reader has got it.</summary>
    /// <param name="leased">True: its bytes count until <see cref="Release"/>.</param>
    public void Take(bool leased)
    {
        Item item = _hand.Dequeue();
        if (!leased) Bytes -= item.Length;
    }

    public void Release(int length) => Bytes -= length;

    private void Fill()
    {
        int count = Math.Min(_batch, _stored.Count);
        for (int index = 0; index < count; index++) _hand.Enqueue(_stored[index]);
        _stored.RemoveRange(0, count);
    }

    private void Drop(int index, LossReason reason)
    {
        Item item = _stored[index];
        _stored.RemoveAt(index);
        Bytes -= item.Length;
        Lost[(item.Sender, item.Number)] = reason;
        Dropped.Add(reason);
    }

    public sealed record Item(NodeInfo Sender, ulong Number, int Length, byte Key, ulong View);
}
