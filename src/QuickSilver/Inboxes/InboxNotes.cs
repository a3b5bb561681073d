using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// Events of a group after the last message of its inbox: the newest view, and losses. Core and reader exchange them as
/// one object in a slot. The core takes the object back only when a message follows that an event must precede; that
/// event then enters the ring. So unread changes are merged, and an inbox without messages holds a single object,
/// regardless of the number of changes.
/// <para>
/// The reader detects a change between its two reads of the slot by object identity. The core therefore always stores a
/// new object, and nothing in it changes while it is there. Members are for the core thread unless they say otherwise.
/// </para>
/// </summary>
/// <param name="ring">The messages of the inbox.</param>
internal sealed class InboxNotes(InboxRing ring)
{
    private IdleNotes? _slot;
    private IdleNotes? _mine;
    private bool _isOut;

    /// <summary>Whether an event may have to precede the next message.</summary>
    public bool MayPrecede => _mine is not null || _isOut;

    /// <summary>Whether the reader would find events. Any thread.</summary>
    public bool AreVisible => Volatile.Read(ref _slot) is not null;

    /// <summary>Records a change of the view.</summary>
    public void OnViewChanged(GroupView view) => (_mine ??= new IdleNotes()).View = view;

    /// <summary>Records a view that may be older than the recorded one.</summary>
    public void OnEarlierView(GroupView view)
    {
        TakeBack();
        if (_mine?.View is null) OnViewChanged(view);
    }

    /// <summary>Records messages that will never arrive.</summary>
    public void OnLoss(NodeInfo sender, ulong first, ulong count, LossReason reason)
    {
        _mine ??= new IdleNotes();
        (_mine.Losses ??= new LossNotes()).Add(new Loss(sender, first, count, reason));
    }

    /// <summary>
    /// Moves the events that must precede a sender's next message into the ring: the view, and that sender's losses.
    /// Losses of other senders stay.
    /// </summary>
    public void PlaceBefore(NodeInfo sender)
    {
        TakeBack();
        if (_mine is not { } notes) return;
        if (notes.View is { } view)
        {
            ring.Append(InboxEntry.Note(view));
            notes.View = null;
        }
        while (notes.Losses is { } losses && losses.TryTake(sender, out LossNote? loss))
            ring.Append(InboxEntry.Note(loss));
        if (notes.IsEmpty) _mine = null;
    }

    /// <summary>Makes the recorded events visible to the reader. Called after the ring was published.</summary>
    public void Publish()
    {
        if (_mine is null) return;
        TakeBack();
        IdleNotes notes = _mine;
        _mine = null;
        if (notes.IsEmpty) return;
        Volatile.Write(ref _slot, new IdleNotes { View = notes.View, Losses = notes.Losses });
        _isOut = true;
    }

    /// <summary>Takes the events, unless a message must be read before them. The reader's thread.</summary>
    public IdleNotes? Take()
    {
        while (Volatile.Read(ref _slot) is { } notes)
        {
            if (ring.HasPublished) return null;
            if (Interlocked.CompareExchange(ref _slot, null, notes) == notes) return notes;
        }
        return null;
    }

    private void TakeBack()
    {
        if (!_isOut) return;
        _isOut = false;
        if (Interlocked.Exchange(ref _slot, null) is not { } notes) return;
        if (_mine is not null) notes.Merge(_mine);
        _mine = notes;
    }
}
