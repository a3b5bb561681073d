using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Why messages will never be delivered.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<LossReason>))]
public enum LossReason
{
    /// <summary>The sender was removed from the cluster, and no live member holds the messages.</summary>
    SenderFailed,

    /// <summary>The inbox was full, and its <see cref="OverflowPolicy"/> dropped messages.</summary>
    Overflow,

    /// <summary>A newer message with the same key replaced them.</summary>
    Superseded,

    /// <summary>The inbox filled up before its first reader started. Also: a long message began, and nobody reads long
    /// messages.</summary>
    Unread,

    /// <summary>The messages grew older than their time to live before they had arrived in full. Groups of
    /// <see cref="GroupMode.Timed"/> only.</summary>
    Expired,

    /// <summary>The messages were not repaired within the delivery deadline. Groups of
    /// <see cref="GroupMode.Lateral"/> only.</summary>
    DeadlinePassed,
}
