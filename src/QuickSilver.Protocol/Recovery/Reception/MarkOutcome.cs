namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>What became of a sequence number that was marked as received.</summary>
public enum MarkOutcome : byte
{
    /// <summary>It was not marked before, and is now.</summary>
    New,

    /// <summary>It was marked before.</summary>
    Duplicate,

    /// <summary>It lies too far above what is contiguous; nothing changed.</summary>
    BeyondWindow,
}
