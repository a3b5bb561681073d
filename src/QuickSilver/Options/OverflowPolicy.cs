using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What a full inbox does with the next message. Never: wait, or push back on senders.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<OverflowPolicy>))]
public enum OverflowPolicy
{
    /// <summary>The handle leaves the group: what is stored stays readable, then the reader gets a <see cref="SlowConsumerException"/>.</summary>
    FailGroup,

    /// <summary>The oldest unread message goes; for telemetry. Told as <see cref="LossReason.Overflow"/>.</summary>
    DropOldest,

    /// <summary>The new message goes. Told as <see cref="LossReason.Overflow"/>.</summary>
    DropNewest,

    /// <summary>A message takes the unread one with the same key (<see cref="GroupOptions.Key"/>) away and stands last, whether the inbox is full or
    /// not; for state of which only the newest counts. Told as <see cref="LossReason.Superseded"/>. When the inbox is full of other keys, the oldest
    /// unread message goes, told as <see cref="LossReason.Overflow"/>. By group only: the node's default has no key.</summary>
    KeepLatestByKey,
}
