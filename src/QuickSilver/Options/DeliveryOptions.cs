namespace QuickSilver;

/// <summary>How received messages are buffered for the application. Defaults for all groups; <see cref="GroupOptions"/>
/// override them per handle.</summary>
public sealed class DeliveryOptions
{
    private int? _inboxCapacity;
    private long? _inboxBytes;
    private long? _totalInboxBytes;
    private long? _longMessageBytes;

    /// <summary>Limit on unread messages in one inbox, a shared one included. Default: 65,536. A process with a small
    /// heap gets less: one message for each 4 KiB of the heap it may use.</summary>
    public int InboxMaxMessages
    {
        get => _inboxCapacity ?? HeapShares.Alone.InboxMaxMessages;
        set => _inboxCapacity = value;
    }

    /// <summary>Limit on unread bytes in one inbox, a shared one included; undisposed leases count. A single larger
    /// message is accepted into an empty inbox. Default: 64 MiB, or 1/16 of the heap that the process may use,
    /// whichever is less.</summary>
    public long InboxMaxBytes
    {
        get => _inboxBytes ?? HeapShares.Alone.InboxMaxBytes;
        set => _inboxBytes = value;
    }

    /// <summary>Limit on unread bytes in all inboxes of the node together. Above it, the inbox that holds most bytes
    /// behaves as full. Default: 512 MiB, or 1/8 of the heap that the process may use, whichever is less. The default
    /// is divided by the number of nodes that run in the process when this one starts.</summary>
    public long InboxMaxBytesPerNode
    {
        get => _totalInboxBytes ?? HeapShares.Alone.InboxMaxBytesPerNode;
        set => _totalInboxBytes = value;
    }

    /// <summary>Limit on the unread bytes of one long message (<see cref="Group.ReadLongMessagesAsync"/>). A message
    /// that exceeds it fails for this reader with a <see cref="SlowConsumerException"/>. All long messages of the node
    /// together may hold <see cref="InboxMaxBytesPerNode"/>, apart from inboxes; above it, the one that holds most
    /// fails. Default: half of <see cref="InboxMaxBytes"/>.</summary>
    public long LongMessageMaxUnreadBytes
    {
        get => _longMessageBytes ?? Math.Max(1, InboxMaxBytes / 2);
        set => _longMessageBytes = value;
    }

    /// <summary>Policy for the next message of a full inbox. Default:
    /// <see cref="OverflowPolicy.FailGroup"/>.</summary>
    public OverflowPolicy Overflow { get; set; } = OverflowPolicy.FailGroup;

    /// <summary>Reaction to an exception of a handler. Default: <see cref="HandlerErrorPolicy.Continue"/>.</summary>
    public HandlerErrorPolicy HandlerErrors { get; set; } = HandlerErrorPolicy.Continue;

    /// <summary>Whether the node receives its own messages, in the order in which it sent them. Default:
    /// true.</summary>
    public bool SelfDelivery { get; set; } = true;

    internal DeliveryOptions Copy() => (DeliveryOptions)MemberwiseClone();

    /// <summary>Fixes the defaults of limits that are not set.</summary>
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
        errors.InRange("Delivery.LongMessageMaxUnreadBytes", LongMessageMaxUnreadBytes, 1, long.MaxValue);
        errors.Defined("Delivery.Overflow", Overflow);
        errors.Defined("Delivery.HandlerErrors", HandlerErrors);
    }
}
