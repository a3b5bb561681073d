namespace QuickSilver.Protocol.Delivery;

/// <summary>The result of adding a fragment.</summary>
internal enum FragmentOutcome : byte
{
    /// <summary>It is kept.</summary>
    Added,

    /// <summary>The same fragment is held already.</summary>
    Duplicate,

    /// <summary>It contradicts the others: another length of the message, an overlap, or outside the message.</summary>
    Contradiction,
}
