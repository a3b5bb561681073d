namespace QuickSilver.Protocol.Delivery;

/// <summary>What became of a fragment.</summary>
internal enum FragmentOutcome : byte
{
    /// <summary>It is kept.</summary>
    Added,

    /// <summary>The same fragment is here already.</summary>
    Duplicate,

    /// <summary>It contradicts the others: another length of the message, an overlap, or outside the message.</summary>
    Contradiction,
}
