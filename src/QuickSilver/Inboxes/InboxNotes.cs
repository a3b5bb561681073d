using QuickSilver.Protocol.Membership;

namespace QuickSilver.Inboxes;

/// <summary>
/// What happened to a group after the last message of its inbox: the newest view, and losses. A slot that core and reader exchange whole; only when a
/// message follows that something has to stand before does the core take it back and put that into the ring. So changes nobody has read are merged,
/// and an inbox without messages holds one object for them, however many there were.
/// <para>
/// The reader tells by identity whether anything has changed between its two looks at the slot, so what the core puts there is always a new object,
/// and nothing in it changes while it is there. Members are for the core thread unless they say otherwise.
/// </para>
/// </summary>
/// <param name="ring">Where the messages are.</param>
internal sealed class InboxNotes(InboxRing ring)
{
    private IdleNotes? _slot;
    private IdleNotes? _mine;
    private bool _isOut;

    /// <summary>True when a message may have to stand behind something.</summary>
    public bool MayPrecede => _mine is not null || _isOut;

    /// <summary>True when the reader would find something. Any thread.</summary>
    public bool AreVisible => Volatile.Read(ref _slot) is not null;

    /// <summary>Notes a change of the view.</summary>
    public void OnViewChanged(GroupView view) => (_mine ??= new IdleNotes()).View = view;

    /// <summary>Notes a view that may be older than what is noted already.</summary>
    public void OnEarlierView(GroupView view)
    {
        TakeBack();
        if (_mine?.View is null) OnViewChanged(view);
    }

    /// <summary>Notes messages that will never come.</summary>
    public void OnLoss(NodeInfo sender, ulong first, ulong count, LossReason reason)
    {
        _mine ??= new IdleNotes();
        (_mine.Losses ??= new LossNotes()).Add(new Loss(sender, first, count, reason));
    }

    /// <summary>
    /// A message of a sender follows: the view comes before it, and so does what that sender has lost. Other senders' losses wait on.
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
        while (notes.Losses is { } losses && losses.TryTake(sender, out LossNote? loss)) ring.Append(InboxEntry.Note(loss));
        if (notes.IsEmpty) _mine = null;
    }

    /// <summary>Shows the reader what has been noted. After the ring has been published.</summary>
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

    /// <summary>Takes what has been noted, if no message is to be read before it. The reader's thread.</summary>
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
