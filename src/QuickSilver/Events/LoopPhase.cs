using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>What the core thread was doing.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<LoopPhase>))]
public enum LoopPhase
{
    /// <summary>Calls from application threads.</summary>
    Requests,

    /// <summary>Completed reads of sockets.</summary>
    Io,

    /// <summary>Timers.</summary>
    Alarms,

    /// <summary>Sending.</summary>
    Pull,

    /// <summary>An application's <see cref="QuickSilver.MessageHandler"/> or <see cref="MessageBatchHandler"/>.</summary>
    MessageHandler,

    /// <summary>An application's <see cref="IMessageFeed"/>.</summary>
    Feed,

    /// <summary>An application's <see cref="KeySelector"/>.</summary>
    KeySelector,
}
