namespace QuickSilver.Inboxes;

/// <summary>Creates the element of one kind of reading, and counts the entry as read.</summary>
/// <param name="reader">The reader that found the entry.</param>
/// <param name="entry">The entry found last.</param>
/// <param name="element">The element.</param>
/// <returns>False if the entry makes no element: it is read, and the next one follows.</returns>
internal delegate bool EntryTaker<TEntry, T>(EntryReader<TEntry> reader, in TEntry entry, out T element)
    where TEntry : struct;
