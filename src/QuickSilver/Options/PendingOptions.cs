namespace QuickSilver;

/// <summary>How much may be sent and not yet known to be held by every live member. At a limit senders wait until half of it is free.</summary>
public sealed class PendingOptions
{
    /// <summary>The longest message any node receives: 16 MiB.</summary>
    internal const int LongestMessage = 16 << 20;

    /// <summary>Most messages per region stream. Default: 100,000.</summary>
    public int MaxMessages { get; set; } = 100_000;

    /// <summary>Most bytes per region stream. Default: 64 MiB.</summary>
    public long MaxBytes { get; set; } = 64L << 20;

    /// <summary>Most bytes in all streams of the node. Default: 256 MiB.</summary>
    public long NodeMaxBytes { get; set; } = 256L << 20;

    /// <summary>The longest message this node may send, up to 16 MiB, which every node receives. Default: 1 MiB.</summary>
    public int MaxMessageBytes { get; set; } = 1 << 20;

    internal void CopyTo(PendingOptions copy)
    {
        copy.MaxMessages = MaxMessages;
        copy.MaxBytes = MaxBytes;
        copy.NodeMaxBytes = NodeMaxBytes;
        copy.MaxMessageBytes = MaxMessageBytes;
    }

    internal void Validate(OptionErrors errors)
    {
        errors.InRange("Pending.MaxMessages", MaxMessages, 1, int.MaxValue);
        errors.InRange("Pending.MaxBytes", MaxBytes, 64L << 10, long.MaxValue);
        errors.InRange("Pending.NodeMaxBytes", NodeMaxBytes, 64L << 10, long.MaxValue);
        errors.InRange("Pending.MaxMessageBytes", MaxMessageBytes, 1, LongestMessage);
        if (NodeMaxBytes < MaxBytes) errors.Add("Pending.NodeMaxBytes", $"{NodeMaxBytes} is below Pending.MaxBytes ({MaxBytes}): raise it, or lower that");
    }
}
