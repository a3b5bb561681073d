using System.Runtime.CompilerServices;

namespace QuickSilver.Inboxes;

/// <summary>The loop of every reader of every inbox.</summary>
internal static class InboxIteration
{
    /// <summary>Reads until the inbox ends. Leaving the loop or cancelling loses nothing.</summary>
    /// <param name="begin">Begins reading; called when the enumeration starts.</param>
    /// <param name="take">Creates the elements.</param>
    /// <param name="events">Whether notes are elements too.</param>
    /// <param name="cancellationToken">Cancels the enumeration.</param>
    /// <param name="ready">Completes when reading may begin; null: at once.</param>
    public static async IAsyncEnumerable<T> ReadAsync<TEntry, T>(
        Func<EntryReader<TEntry>> begin, EntryTaker<TEntry, T> take, bool events,
        [EnumeratorCancellation] CancellationToken cancellationToken, Task? ready = null)
        where TEntry : struct
    {
        if (ready is { IsCompleted: false }) await ready.WaitAsync(cancellationToken).ConfigureAwait(false);
        EntryReader<TEntry> reader = begin();
        try
        {
            while (true)
            {
                cancellationToken.ThrowIfCancellationRequested();
                ReadOutcome outcome = events ? reader.NextEvent(out TEntry entry) : reader.NextMessage(out entry);
                if (outcome == ReadOutcome.Entry)
                {
                    if (TryTake(take, reader, entry, out T element)) yield return element;
                }
                else if (outcome == ReadOutcome.Ended)
                {
                    reader.ThrowIfFailed();
                    yield break;
                }
                else if (reader.Arm(events))
                {
                    await reader.Signal.WaitAsync(cancellationToken).ConfigureAwait(false);
                }
            }
        }
        finally
        {
            reader.EndRead();
        }
    }

    // A message that cannot be returned for lack of memory goes to the next reader.
    private static bool TryTake<TEntry, T>(
        EntryTaker<TEntry, T> take, EntryReader<TEntry> reader, in TEntry entry, out T element)
        where TEntry : struct
    {
        try
        {
            return take(reader, entry, out element);
        }
        catch (OutOfMemoryException)
        {
            reader.PutBack(entry);
            throw;
        }
    }
}
