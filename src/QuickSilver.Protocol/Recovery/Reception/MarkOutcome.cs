namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>The result of marking a sequence number as received.</summary>
internal enum MarkOutcome : byte
{
    /// <summary>The number was not marked before, and is now.</summary>
    New,

    /// <summary>The number was marked before.</summary>
    Duplicate,

    /// <summary>The number lies too far above the contiguous part; nothing changed.</summary>
    BeyondWindow,
}
