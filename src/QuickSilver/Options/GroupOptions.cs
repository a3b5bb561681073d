namespace QuickSilver;

/// <summary>How one handle on a group behaves. Copied and validated at the join. Null means: as the
/// node's <see cref="DeliveryOptions"/> say.</summary>
public sealed class GroupOptions
{
    /// <summary>The group's promise, fixed by its first member; a mismatch fails the join with <see cref="ErrorCode.GroupModeMismatch"/>.</summary>
    public GroupMode Mode { get; set; } = GroupMode.Reliable;

    /// <summary>Called on the core thread for every message, attached before the first one.</summary>
    public MessageHandler? OnMessage { get; set; }

    /// <summary>Called on the core thread for every run of messages, attached before the first one; after <see cref="OnMessage"/> where both are
    /// set.</summary>
    public MessageBatchHandler? OnBatch { get; set; }

    /// <summary>True (default): what comes before the first reader is kept for it, up to the inbox's limits. False: nothing is kept.</summary>
    public bool BufferBeforeFirstRead { get; set; } = true;

    /// <summary>Most unread messages.</summary>
    public int? InboxMaxMessages { get; set; }

    /// <summary>Most unread bytes.</summary>
    public long? InboxMaxBytes { get; set; }

    /// <summary>What a full inbox does.</summary>
    public OverflowPolicy? Overflow { get; set; }

    /// <summary>Tells which message replaces which; required by <see cref="OverflowPolicy.KeepLatestByKey"/>, refused otherwise. Called on the core
    /// thread for each message that is stored; timed and fenced like a handler. A message whose key could not be told replaces nothing.</summary>
    public KeySelector? Key { get; set; }

    /// <summary>What follows when a handler throws.</summary>
    public HandlerErrorPolicy? HandlerErrors { get; set; }

    /// <summary>Whether this handle gets the node's own messages.</summary>
    public bool? SelfDelivery { get; set; }

    internal GroupOptions Copy() => (GroupOptions)MemberwiseClone();

    internal void Validate(string parameter)
    {
        var errors = new OptionErrors();
        errors.Defined(nameof(Mode), Mode);
        if (InboxMaxMessages is { } capacity) errors.InRange(nameof(InboxMaxMessages), capacity, 1, 1 << 24);
        if (InboxMaxBytes is { } bytes) errors.InRange(nameof(InboxMaxBytes), bytes, 1, long.MaxValue);
        if (Overflow is { } overflow) errors.Defined(nameof(Overflow), overflow);
        if (HandlerErrors is { } policy) errors.Defined(nameof(HandlerErrors), policy);
        if (Key is not null && Overflow != OverflowPolicy.KeepLatestByKey) errors.Add(nameof(Key), "is used by OverflowPolicy.KeepLatestByKey only");
        if (Key is null && Overflow == OverflowPolicy.KeepLatestByKey) errors.Add(nameof(Key), "is required by OverflowPolicy.KeepLatestByKey");
        errors.ThrowIfAny(parameter);
    }
}
