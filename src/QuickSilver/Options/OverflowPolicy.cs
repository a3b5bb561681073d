using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Policy for the next message of a full inbox. No policy blocks the core thread or slows senders
/// down.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<OverflowPolicy>))]
public enum OverflowPolicy
{
    /// <summary>The handle leaves the group. Stored messages stay readable; after them the reader gets a
    /// <see cref="SlowConsumerException"/>, in a shared inbox as <see cref="GroupCompleted"/>.</summary>
    FailGroup,

    /// <summary>Drops the oldest unread message, reported as <see cref="LossReason.Overflow"/>. Suits
    /// telemetry.</summary>
    DropOldest,

    /// <summary>Drops the new message, reported as <see cref="LossReason.Overflow"/>.</summary>
    DropNewest,
}
