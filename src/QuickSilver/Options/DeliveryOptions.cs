namespace QuickSilver;

/// <summary>How messages wait for the application, per group; <see cref="GroupOptions"/> override it.</summary>
public sealed class DeliveryOptions
{
    /// <summary>Most unread messages of one inbox. Default: 65,536.</summary>
    public int InboxCapacity { get; set; } = 65_536;

    /// <summary>Most unread bytes of one inbox, leases not yet disposed of included; one longer message fits into an empty
    /// inbox. Default: 64 MiB.</summary>
    public long InboxBytes { get; set; } = 64L << 20;

    /// <summary>Most unread bytes of all inboxes of the node: above it, the inbox that holds most acts as full. Default: 512 MiB.</summary>
    public long TotalInboxBytes { get; set; } = 512L << 20;

    /// <summary>What a full inbox does. Default: <see cref="OverflowPolicy.FailGroup"/>.</summary>
    public OverflowPolicy Overflow { get; set; } = OverflowPolicy.FailGroup;

    /// <summary>What follows when a handler throws. Default: <see cref="HandlerErrorPolicy.Continue"/>.</summary>
    public HandlerErrorPolicy HandlerErrors { get; set; } = HandlerErrorPolicy.Continue;

    /// <summary>Whether the node gets its own messages, in its own order like everybody's. Default: true.</summary>
    public bool SelfDelivery { get; set; } = true;

    internal void CopyTo(DeliveryOptions copy)
    {
        copy.InboxCapacity = InboxCapacity;
        copy.InboxBytes = InboxBytes;
        copy.TotalInboxBytes = TotalInboxBytes;
        copy.Overflow = Overflow;
        copy.HandlerErrors = HandlerErrors;
        copy.SelfDelivery = SelfDelivery;
    }

    internal void Validate(OptionErrors errors)
    {
        errors.InRange("Delivery.InboxCapacity", InboxCapacity, 1, 1 << 24);
        errors.InRange("Delivery.InboxBytes", InboxBytes, 1, long.MaxValue);
        errors.InRange("Delivery.TotalInboxBytes", TotalInboxBytes, 1, long.MaxValue);
        errors.Defined("Delivery.Overflow", Overflow);
        if (Overflow == OverflowPolicy.KeepLatestByKey)
            errors.Add("Delivery.Overflow", "KeepLatestByKey needs a key for each group: set it, with Key, in the GroupOptions of the join");
        errors.Defined("Delivery.HandlerErrors", HandlerErrors);
    }
}
