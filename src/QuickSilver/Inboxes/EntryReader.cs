namespace QuickSilver.Inboxes;

/// <summary>
/// The reading side of an inbox, as the application's loops use it. Used by one thread at a time: the present reader's.
/// </summary>
/// <typeparam name="TEntry">The entries of the inbox.</typeparam>
internal abstract class EntryReader<TEntry>
    where TEntry : struct
{
    /// <summary>The signal that the reader waits for.</summary>
    public InboxSignal Signal { get; } = new();

    /// <summary>Finds the next message without copying it; skips notes.</summary>
    public abstract ReadOutcome NextMessage(out TEntry entry);

    /// <summary>Finds the next message or note.</summary>
    public abstract ReadOutcome NextEvent(out TEntry entry);

    /// <summary>Counts a message as read after it was copied. Its memory is released with the batch.</summary>
    public abstract void OnCopied(in TEntry entry);

    /// <summary>Returns the message found last as a lease, which holds the memory until it ends.</summary>
    public abstract MessageLease Lease(in TEntry entry);

    /// <summary>Records that a view is reported to the application.</summary>
    /// <returns>The view of the same group that was reported before; null if this is the first.</returns>
    public abstract GroupView? OnReported(in TEntry view);

    /// <summary>Returns the message found last to the inbox, because it could not be passed on. Only before it was
    /// counted as read.</summary>
    public abstract void PutBack(in TEntry entry);

    /// <summary>Declares that the reader is about to wait, unless there are entries meanwhile.</summary>
    /// <param name="events">Whether notes count as entries.</param>
    /// <returns>True: await <see cref="InboxSignal.WaitAsync"/>. False: read again.</returns>
    public abstract bool Arm(bool events);

    /// <summary>Throws the reason for which the inbox failed, if it did.</summary>
    public abstract void ThrowIfFailed();

    /// <summary>Ends reading. The next reader continues at the same position.</summary>
    public abstract void EndRead();
}
