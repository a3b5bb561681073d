namespace QuickSilver;

/// <summary>How messages wait for the application, per group; <see cref="GroupOptions"/> override it.</summary>
public sealed class DeliveryOptions
{
    private int? _inboxCapacity;
    private long? _inboxBytes;
    private long? _totalInboxBytes;

    /// <summary>Most unread messages of one inbox. Default: 65,536, or one for each 4 KiB of the heap that the process may have, if that is
    /// fewer.</summary>
    public int InboxMaxMessages
    {
        get => _inboxCapacity ?? HeapShares.Alone.InboxMaxMessages;
        set => _inboxCapacity = value;
    }

    /// <summary>Most unread bytes of one inbox, leases not yet disposed of included; one longer message fits into an empty
    /// inbox. Default: 64 MiB, or a sixteenth of the heap that the process may have, if that is less.</summary>
    public long InboxMaxBytes
    {
        get => _inboxBytes ?? HeapShares.Alone.InboxMaxBytes;
        set => _inboxBytes = value;
    }

    /// <summary>Most unread bytes of all inboxes of the node: above it, the inbox that holds most acts as full. Default: 512 MiB, or an eighth of the
    /// heap that the process may have, if that is less; divided by the nodes that run in the process when this one starts.</summary>
    public long InboxMaxBytesPerNode
    {
        get => _totalInboxBytes ?? HeapShares.Alone.InboxMaxBytesPerNode;
        set => _totalInboxBytes = value;
    }

    /// <summary>What a full inbox does. Default: <see cref="OverflowPolicy.FailGroup"/>.</summary>
    public OverflowPolicy Overflow { get; set; } = OverflowPolicy.FailGroup;

    /// <summary>What follows when a handler throws. Default: <see cref="HandlerErrorPolicy.Continue"/>.</summary>
    public HandlerErrorPolicy HandlerErrors { get; set; } = HandlerErrorPolicy.Continue;

    /// <summary>Whether the node gets its own messages, in its own order like everybody's. Default: true.</summary>
    public bool SelfDelivery { get; set; } = true;

    internal DeliveryOptions Copy() => (DeliveryOptions)MemberwiseClone();

    /// <summary>Fills in what was not set.</summary>
    internal void Settle(HeapShares shares)
    {
        _inboxCapacity ??= shares.InboxMaxMessages;
        _inboxBytes ??= shares.InboxMaxBytes;
        _totalInboxBytes ??= shares.InboxMaxBytesPerNode;
    }

    internal void Validate(OptionErrors errors)
    {
        errors.InRange("Delivery.InboxMaxMessages", InboxMaxMessages, 1, 1 << 24);
        errors.InRange("Delivery.InboxMaxBytes", InboxMaxBytes, 1, long.MaxValue);
        errors.InRange("Delivery.InboxMaxBytesPerNode", InboxMaxBytesPerNode, 1, long.MaxValue);
        errors.Defined("Delivery.Overflow", Overflow);
        if (Overflow == OverflowPolicy.KeepLatestByKey)
            errors.Add("Delivery.Overflow", "KeepLatestByKey needs a key for each group: set it, with Key, in the GroupOptions of the join");
        errors.Defined("Delivery.HandlerErrors", HandlerErrors);
    }
}
