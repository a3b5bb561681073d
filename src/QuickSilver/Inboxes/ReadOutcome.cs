namespace QuickSilver.Inboxes;

/// <summary>What a reader found.</summary>
internal enum ReadOutcome
{
    /// <summary>An entry.</summary>
    Entry,

    /// <summary>Nothing now.</summary>
    Empty,

    /// <summary>Nothing any more.</summary>
    Ended,
}
