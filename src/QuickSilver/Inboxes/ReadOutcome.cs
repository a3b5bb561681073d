namespace QuickSilver.Inboxes;

/// <summary>The result of a read.</summary>
internal enum ReadOutcome
{
    /// <summary>An entry was found.</summary>
    Entry,

    /// <summary>There is no entry now.</summary>
    Empty,

    /// <summary>There will be no more entries.</summary>
    Ended,
}
