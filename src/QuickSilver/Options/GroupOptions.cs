using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Settings of one handle on a group. The join copies and validates them; later changes have no effect. A null
/// value inherits the node's <see cref="DeliveryOptions"/>.</summary>
public sealed class GroupOptions
{
    /// <summary>The delivery guarantee of the group, with the options of that mode. The first member fixes it; a join
    /// with another mode fails with <see cref="ErrorCode.GroupModeMismatch"/>. Default: a
    /// <see cref="ReliableMode"/>.</summary>
    public ModeOptions Mode { get; set; } = ReliableMode.Default;

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

    /// <summary>Returns the key of a message: it replaces the unread message with the same key and joins the end of the
    /// inbox, full or not. Suits state of which only the newest value counts. Replaced messages are reported as
    /// <see cref="LossReason.Superseded"/>. <see cref="Overflow"/> decides when the inbox is full of other keys. Called
    /// on the core thread for each stored message, with the time limits and restrictions of a handler. If it throws,
    /// the message replaces nothing. Null (default): no message replaces another.</summary>
    public KeySelector? Key { get; set; }

    /// <summary>Reaction to an exception of a handler. Null (default):
    /// <see cref="DeliveryOptions.HandlerErrors"/>.</summary>
    public HandlerErrorPolicy? HandlerErrors { get; set; }

    /// <summary>Whether this handle receives the node's own messages. Null (default):
    /// <see cref="DeliveryOptions.SelfDelivery"/>.</summary>
    public bool? SelfDelivery { get; set; }

    /// <summary>Returns all faults of these options, one per entry, each beginning with the name of its option. Empty
    /// if every option is valid.</summary>
    public IReadOnlyList<string> Validate() => Check().Findings;

    internal GroupOptions Copy() => (GroupOptions)MemberwiseClone();

    internal void Validate(string parameter) => Check().ThrowIfAny(parameter);

    private OptionErrors Check()
    {
        var errors = new OptionErrors();
        ModeOptions.Validate(errors, Mode);
        if (InboxMaxMessages is { } capacity) errors.InRange(nameof(InboxMaxMessages), capacity, 1, 1 << 24);
        if (InboxMaxBytes is { } bytes) errors.InRange(nameof(InboxMaxBytes), bytes, 1, long.MaxValue);
        if (Overflow is { } overflow) errors.Defined(nameof(Overflow), overflow);
        if (HandlerErrors is { } policy) errors.Defined(nameof(HandlerErrors), policy);
        return errors;
    }
}
