using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>Reaction to an exception of a <see cref="MessageHandler"/>, <see cref="MessageBatchHandler"/>,
/// <see cref="IMessageFeed"/> or <see cref="KeySelector"/>. Every exception is logged and counted, and none harms the
/// core thread.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<HandlerErrorPolicy>))]
public enum HandlerErrorPolicy
{
    /// <summary>Delivery continues with the next message or batch.</summary>
    Continue,

    /// <summary>The handle leaves the group and ends with <see cref="ErrorCode.HandlerFailed"/>.</summary>
    LeaveGroup,

    /// <summary>The node stops, and <see cref="QuickSilverNode.Completion"/> faults with
    /// <see cref="ErrorCode.HandlerFailed"/>.</summary>
    StopNode,
}
