using System.Text.Json.Serialization;

namespace QuickSilver;

/// <summary>A phase of the core thread's loop.</summary>
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

    /// <summary>A call of a <see cref="QuickSilver.MessageHandler"/> or <see cref="MessageBatchHandler"/> of the
    /// application.</summary>
    MessageHandler,

    /// <summary>A call of an <see cref="IMessageFeed"/> of the application.</summary>
    Feed,

    /// <summary>A call of a <see cref="KeySelector"/> of the application.</summary>
    KeySelector,
}
