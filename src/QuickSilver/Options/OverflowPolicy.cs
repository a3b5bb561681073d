namespace QuickSilver;

/// <summary>What a full inbox does with the next message. Never: wait, or push back on senders.</summary>
public enum OverflowPolicy
{
    /// <summary>The handle leaves the group: what is stored stays readable, then the reader gets a <see cref="SlowConsumerException"/>.</summary>
    FailGroup,

    /// <summary>The oldest unread message goes; for telemetry. Told as <see cref="LossReason.Overflow"/>.</summary>
    DropOldest,

    /// <summary>The new message goes. Told as <see cref="LossReason.Overflow"/>.</summary>
    DropNewest,

    /// <summary>A message replaces the unread one with the same key. Not built yet: refused with <see cref="ErrorCode.NotSupported"/>.</summary>
    KeepLatestByKey,
}
