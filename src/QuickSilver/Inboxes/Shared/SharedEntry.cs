namespace QuickSilver.Inboxes.Shared;

/// <summary>
/// One slot of a shared inbox: a message or a note of one group, the mark of a dropped message, or nothing.
/// </summary>
/// <param name="Part">The group's part of the inbox.</param>
/// <param name="Entry">The message, or a note: a <see cref="GroupView"/>, a <see cref="LossNote"/>, or the
/// <see cref="EndMark"/> of the group.</param>
internal readonly record struct SharedEntry(SharedPart Part, InboxEntry Entry)
{
    /// <summary>True for messages.</summary>
    public bool IsMessage => Entry.Sender is not null && Entry.Body is not null;

    /// <summary>True for the mark of a dropped message, of which sender, number and reason remain.</summary>
    public bool IsDropped => Entry.Sender is not null && Entry.Body is null;

    /// <summary>Creates a note.</summary>
    public static SharedEntry Note(SharedPart part, object body) => new(part, InboxEntry.Note(body));

    /// <summary>The mark that remains of a dropped message.</summary>
    public SharedEntry ToDropped(LossReason reason) =>
        this with { Entry = new InboxEntry(null, Entry.Sender, Entry.Number, (int)reason, 0, 0) };

    /// <summary>The slot that remains of an entry nobody is told of.</summary>
    public SharedEntry ToNothing() => this with { Entry = default };

    /// <summary>The loss that a mark or a loss note stands for.</summary>
    public Loss ToLoss() => Entry.Body is LossNote note
        ? new Loss(note.Sender, note.First, note.Count, note.Reason)
        : new Loss(Entry.Sender!, Entry.Number, 1, (LossReason)Entry.Offset);
}
