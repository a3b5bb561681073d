namespace QuickSilver.Typed;

/// <summary>The names that telemetry goes by: those of QuickSilver, and those of OpenTelemetry's semantic conventions
/// for messaging as of version 1.44, which may still change.</summary>
public static class QuickSilverTelemetry
{
    /// <summary>The activity source of typed groups.</summary>
    public const string ActivitySourceName = "QuickSilver";

    /// <summary>The meter of nodes.</summary>
    public const string MeterName = "QuickSilver";

    /// <summary>The meter of hosted nodes.</summary>
    public const string HostingMeterName = "QuickSilver.Hosting";

    /// <summary>The meter of typed groups.</summary>
    public const string TypedMeterName = "QuickSilver.Typed";

    /// <summary>Header with the time of a send, in microseconds since 1970, for a sample of messages.</summary>
    public const string SentHeader = "sent-at";

    /// <summary>Header with the sender's context, as W3C Trace Context writes it.</summary>
    public const string TraceParentHeader = "traceparent";

    /// <summary>Header with the sender's trace state.</summary>
    public const string TraceStateHeader = "tracestate";

    internal const string System = "messaging.system";
    internal const string SystemName = "quicksilver";
    internal const string Destination = "messaging.destination.name";
    internal const string OperationName = "messaging.operation.name";
    internal const string OperationType = "messaging.operation.type";
    internal const string BodySize = "messaging.message.body.size";
    internal const string ErrorType = "error.type";
    internal const string Send = "send";
    internal const string Receive = "receive";
    internal const string Process = "process";
}
