using QuickSilver.Protocol.Membership;

namespace QuickSilver.Tests.Inboxes.Shared;

/// <summary>What a shared inbox has to do, said as plainly as can be: one list of messages, of which the reader has the
/// first few in hand, and the fate of every number.</summary>
internal sealed class SharedModel(int mostMessages, long mostBytes)
{
    private readonly List<Item> _stored = [];
    private readonly Dictionary<SharedRig.PartRig, Share> _shares = [];
    private int _inHand;

    /// <summary>Why a number never came, for those that did not.</summary>
    public Dictionary<(SharedRig.PartRig Group, NodeInfo Sender, ulong Number), LossReason> Lost { get; } = [];
    public bool HasConsumer { get; set; }
    public int Messages => _stored.Count;
    public long Bytes { get; private set; }

    public Share Of(SharedRig.PartRig group) =>
        _shares.TryGetValue(group, out Share? share) ? share : _shares[group] = new Share();

    public void Deliver(SharedRig.PartRig group, NodeInfo sender, ulong number, int length, byte key)
    {
        Share share = Of(group);
        OverflowPolicy policy = group.Limits.Overflow;
        if (share.HasEnded || (!HasConsumer && !group.Limits.BufferBeforeFirstRead)) return;
        if (group.Limits.ReplacesByKey)
        {
            int replaced = Find(item => item.Group == group && item.Key == key);
            if (replaced >= 0) Drop(replaced, LossReason.Superseded);
        }
        LossReason reason = HasConsumer ? LossReason.Overflow : LossReason.Unread;
        while (!IsRoom(group.Limits.Capacity, group.Limits.Bytes, share.Messages, share.Bytes, length)
            || !IsRoom(mostMessages, mostBytes, Messages, Bytes, length))
        {
            if (HasConsumer && policy == OverflowPolicy.FailGroup)
            {
                share.HasFailed = true;
                return;
            }
            int oldest = HasConsumer && policy == OverflowPolicy.DropNewest ? -1 : Find(item => item.Group == group);
            if (oldest < 0)
            {
                Lost[(group, sender, number)] = reason;
                share.Dropped.Add(reason);
                return;
            }
            Drop(oldest, reason);
        }
        _stored.Add(new Item(group, sender, number, length, key, share.View));
        share.Messages++;
        share.Bytes += length;
        Bytes += length;
    }

    public void Lose(SharedRig.PartRig group, NodeInfo sender, ulong number)
    {
        if (!Of(group).HasEnded && (HasConsumer || group.Limits.BufferBeforeFirstRead))
            Lost[(group, sender, number)] = LossReason.SenderFailed;
    }

    /// <summary>The message that a reader gets next, if there is one; it stays until <see cref="Take"/>.</summary>
    public Item? Peek() => _stored.FirstOrDefault();

    /// <summary>The reader has got it.</summary>
    /// <param name="leased">True: its bytes count until <see cref="Release"/>.</param>
    public void Take(bool leased)
    {
        Item item = _stored[0];
        _stored.RemoveAt(0);
        Of(item.Group).Messages--;
        if (!leased) Release(item.Group, item.Length);
    }

    public void Release(SharedRig.PartRig group, int length)
    {
        Of(group).Bytes -= length;
        Bytes -= length;
    }

    /// <summary>The reader has the first few in hand: they can be dropped no more.</summary>
    /// <returns>The messages in hand.</returns>
    public IEnumerable<Item> SetInHand(int count)
    {
        _inHand = count;
        return _stored.Take(count);
    }

    private static bool IsRoom(int mostMessages, long mostBytes, int messages, long bytes, int length) =>
        messages < mostMessages && (bytes == 0 || bytes + length <= mostBytes);

    private int Find(Predicate<Item> match) => _stored.FindIndex(_inHand, match);

    private void Drop(int index, LossReason reason)
    {
        Item item = _stored[index];
        _stored.RemoveAt(index);
        Share share = Of(item.Group);
        share.Messages--;
        Release(item.Group, item.Length);
        Lost[(item.Group, item.Sender, item.Number)] = reason;
        share.Dropped.Add(reason);
    }

    /// <summary>What one group has in the inbox.</summary>
    internal sealed class Share
    {
        public int Messages { get; set; }
        public long Bytes { get; set; }
        public ulong View { get; set; }
        public bool HasFailed { get; set; }
        public bool HasLeft { get; set; }
        public bool HasEnded => HasFailed || HasLeft;
        public List<LossReason> Dropped { get; } = [];
    }

    internal sealed record Item(
        SharedRig.PartRig Group, NodeInfo Sender, ulong Number, int Length, byte Key, ulong View);
}
