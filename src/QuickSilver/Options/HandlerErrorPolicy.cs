using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What follows when an <see cref="MessageHandler"/>, <see cref="MessageBatchHandler"/>, <see cref="IMessageFeed"/> or <see cref="KeySelector"/>
/// throws. The exception is always logged and counted, and never harms the core thread.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<HandlerErrorPolicy>))]
public enum HandlerErrorPolicy
{
    /// <summary>The next message is handed over as if nothing had happened.</summary>
    Continue,

    /// <summary>The handle leaves the group and ends with <see cref="ErrorCode.HandlerFailed"/>.</summary>
    LeaveGroup,

    /// <summary>The node stops, and <see cref="QuickSilverNode.Completion"/> faults with <see cref="ErrorCode.HandlerFailed"/>.</summary>
    StopNode,
}
