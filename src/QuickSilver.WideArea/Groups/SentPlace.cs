namespace QuickSilver.WideArea.Groups;

/// <summary>What is known of a message of this site on its way to others.</summary>
internal enum SentPlace
{
    /// <summary>It has not come to the gateway.</summary>
    NotYet,

    /// <summary>It ended in a record.</summary>
    InRecord,

    /// <summary>All sites that it was for hold it.</summary>
    HeldByAll,

    /// <summary>Later ones of its sender came, and it did not.</summary>
    Missed,
}
