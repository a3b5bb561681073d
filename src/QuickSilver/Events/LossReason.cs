using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Why messages will never be delivered.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<LossReason>))]
public enum LossReason
{
    /// <summary>The sender is gone from the cluster, and no live member holds them.</summary>
    SenderFailed,

    /// <summary>The inbox was full, and its <see cref="OverflowPolicy"/> drops.</summary>
    Overflow,

    /// <summary>A newer message with the same key replaced them.</summary>
    Superseded,

    /// <summary>The inbox was full before anybody read from it.</summary>
    Unread,
}
