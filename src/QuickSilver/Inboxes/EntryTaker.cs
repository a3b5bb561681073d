namespace QuickSilver.Inboxes;

/// <summary>Creates the element of one kind of reading, and counts the entry as read.</summary>
/// <param name="reader">The reader that found the entry.</param>
/// <param name="entry">The entry found last.</param>
internal delegate T EntryTaker<TEntry, out T>(EntryReader<TEntry> reader, in TEntry entry)
    where TEntry : struct;
