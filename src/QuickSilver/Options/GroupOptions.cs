using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Settings of one handle on a group. The join copies and validates them; later changes have no effect. A null
/// value inherits the node's <see cref="DeliveryOptions"/>.</summary>
public sealed class GroupOptions
{
    /// <summary>The delivery guarantee of the group. The first member fixes it; a join with another mode fails with
    /// <see cref="ErrorCode.GroupModeMismatch"/>.</summary>
    public GroupMode Mode { get; set; } = GroupMode.Reliable;

    /// <summary>Settings of a group of <see cref="GroupMode.Lateral"/>; refused in other modes. Null (default): the
    /// defaults.</summary>
    public LateralOptions? Lateral { get; set; }

    /// <summary>
    /// Whether the group has a multicast address of its own. A member then sends one copy of each packet for all
    /// regions of the group, instead of one for each; lost packets are repaired in each region as ever. It pays where a
    /// group spans many regions. It costs each member a socket and a membership of the address, so their number is
    /// limited (<see cref="TransportOptions.MaxHybridGroups"/>), and its messages do not share packets with those of
    /// other groups. Regions that multicast does not reach, that are merged, or that read packets in shared memory, get
    /// packets of their own.
    /// The first member fixes the value; a join with another fails with <see cref="ErrorCode.GroupModeMismatch"/>.
    /// Default: false.
    /// </summary>
    public bool Hybrid { get; set; }

    /// <summary>Settings of a group of <see cref="GroupMode.Timed"/>; refused in other modes. Null (default): the
    /// defaults.</summary>
    public TimedOptions? Timed { get; set; }

    /// <summary>Handler for every message, attached before the first one arrives. Runs on the core thread and must not
    /// block.</summary>
    public MessageHandler? OnMessage { get; set; }

    /// <summary>Handler for every batch of messages, attached before the first one arrives. Runs on the core thread and
    /// must not block. Called after <see cref="OnMessage"/> where both are set.</summary>
    public MessageBatchHandler? OnBatch { get; set; }

    /// <summary>Whether messages that arrive before the first reader are kept for it, up to the limits of the inbox.
    /// False keeps none of them. Default: true.</summary>
    public bool BufferBeforeFirstRead { get; set; } = true;

    /// <summary>The inbox that the handle's messages go to, shared with other groups; of the same node. Its reader gets
    /// them, and the reading members of <see cref="Group"/> throw. Handlers run as otherwise. Null (default): the
    /// handle has an inbox of its own.</summary>
    [JsonIgnore]
    public Inbox? Inbox { get; set; }

    /// <summary>Limit on unread messages of this handle, in its own inbox or in <see cref="Inbox"/>. Null (default):
    /// <see cref="DeliveryOptions.InboxMaxMessages"/>.</summary>
    public int? InboxMaxMessages { get; set; }

    /// <summary>Limit on unread bytes of this handle, in its own inbox or in <see cref="Inbox"/>. Null (default):
    /// <see cref="DeliveryOptions.InboxMaxBytes"/>.</summary>
    public long? InboxMaxBytes { get; set; }

    /// <summary>Policy for the next message of a full inbox. Null (default):
    /// <see cref="DeliveryOptions.Overflow"/>.</summary>
    public OverflowPolicy? Overflow { get; set; }

    /// <summary>Returns the key that decides which message replaces which. Required by
    /// <see cref="OverflowPolicy.KeepLatestByKey"/>, refused with any other policy. Called on the core thread for each
    /// stored message, with the time limits and restrictions of a handler. If it throws, the message replaces
    /// nothing.</summary>
    public KeySelector? Key { get; set; }

    /// <summary>Reaction to an exception of a handler. Null (default):
    /// <see cref="DeliveryOptions.HandlerErrors"/>.</summary>
    public HandlerErrorPolicy? HandlerErrors { get; set; }

    /// <summary>Whether this handle receives the node's own messages. Null (default):
    /// <see cref="DeliveryOptions.SelfDelivery"/>.</summary>
    public bool? SelfDelivery { get; set; }

    /// <summary>Whether long messages that begin before the first call of <see cref="Group.ReadLongMessagesAsync"/> are
    /// kept for it. Default: false; they are dropped and counted.</summary>
    public bool KeepLongMessages { get; set; }

    /// <summary>Limit on the unread bytes of one long message. Null (default):
    /// <see cref="DeliveryOptions.LongMessageMaxUnreadBytes"/>.</summary>
    public long? LongMessageMaxUnreadBytes { get; set; }

    /// <summary>Returns all faults of these options, one per entry, each beginning with the name of its option. Empty
    /// if every option is valid.</summary>
    public IReadOnlyList<string> Validate() => Check().Findings;

    internal GroupOptions Copy() => (GroupOptions)MemberwiseClone();

    internal void Validate(string parameter) => Check().ThrowIfAny(parameter);

    private OptionErrors Check()
    {
        var errors = new OptionErrors();
        GroupModeOptions.Validate(errors, Mode, Hybrid, Lateral, Timed);
        if (InboxMaxMessages is { } capacity) errors.InRange(nameof(InboxMaxMessages), capacity, 1, 1 << 24);
        if (InboxMaxBytes is { } bytes) errors.InRange(nameof(InboxMaxBytes), bytes, 1, long.MaxValue);
        if (LongMessageMaxUnreadBytes is { } unread)
            errors.InRange(nameof(LongMessageMaxUnreadBytes), unread, 1, long.MaxValue);
        if (Overflow is { } overflow) errors.Defined(nameof(Overflow), overflow);
        if (HandlerErrors is { } policy) errors.Defined(nameof(HandlerErrors), policy);
        if (Key is not null && Overflow != OverflowPolicy.KeepLatestByKey)
            errors.Add(nameof(Key), "is used by OverflowPolicy.KeepLatestByKey only");
        if (Key is null && Overflow == OverflowPolicy.KeepLatestByKey)
            errors.Add(nameof(Key), "is required by OverflowPolicy.KeepLatestByKey");
        return errors;
    }
}
