using System.Diagnostics;

namespace QuickSilver.Typed;

/// <summary>The activities of typed groups. None is made unless somebody listens.</summary>
internal static class Tracing
{
    private static readonly ActivitySource Source = new(QuickSilverTelemetry.ActivitySourceName);

    /// <summary>Starts the activity of a send, a child of the caller's.</summary>
    public static Activity? StartSend(string group) =>
        Source.HasListeners()
            ? Tag(
                Source.StartActivity($"send {group}", ActivityKind.Producer), group, QuickSilverTelemetry.Send)
            : null;

    /// <summary>Makes the activity of a receive, which ends as the application takes the message.</summary>
    /// <returns>The parent for what the application does with the message.</returns>
    public static ActivityContext Receive(string group, ActivityContext sender, int bytes)
    {
        if (!Source.HasListeners()) return sender;
        Activity? ambient = Activity.Current;
        try
        {
            using Activity? activity = Start($"receive {group}", group, QuickSilverTelemetry.Receive, sender);
            activity?.SetTag(QuickSilverTelemetry.BodySize, bytes);
            return activity?.Context ?? sender;
        }
        finally
        {
            Activity.Current = ambient;
        }
    }

    /// <summary>Starts the activity of a handler's call.</summary>
    public static Activity? StartProcess(string group, ActivityContext parent) =>
        Source.HasListeners()
            ? Start($"process {group}", group, QuickSilverTelemetry.Process, parent)
            : null;

    /// <summary>Notes a fault.</summary>
    public static void Fail(Activity? activity, Exception fault) =>
        activity?.SetTag(QuickSilverTelemetry.ErrorType, fault.GetType().FullName)
            .SetStatus(ActivityStatusCode.Error, fault.Message);

    /// <summary>Reads the sender's context from the headers of a message.</summary>
    public static ActivityContext ContextOf(MessageHeaders? headers)
    {
        if (headers is null || !headers.TryGetValue(QuickSilverTelemetry.TraceParentHeader, out string? parent))
            return default;
        headers.TryGetValue(QuickSilverTelemetry.TraceStateHeader, out string? state);
        return ActivityContext.TryParse(parent, state, isRemote: true, out ActivityContext context) ? context : default;
    }

    /// <summary>Adds a context to the headers of a message.</summary>
    public static MessageHeaders Inject(MessageHeaders headers, Activity? activity)
    {
        if (activity is not { IdFormat: ActivityIdFormat.W3C, Id: { } id }) return headers;
        return headers.WithTrace(id, activity.TraceStateString);
    }

    // What the reader's own activity is has nothing to do with the message: it is set aside meanwhile.
    private static Activity? Start(string name, string group, string operation, ActivityContext parent)
    {
        Activity? ambient = Activity.Current;
        Activity.Current = null;
        Activity? activity = Source.StartActivity(name, ActivityKind.Consumer, parent);
        if (activity is null) Activity.Current = ambient;
        return Tag(activity, group, operation);
    }

    private static Activity? Tag(Activity? activity, string group, string operation)
    {
        if (activity is not { IsAllDataRequested: true }) return activity;
        return activity.SetTag(QuickSilverTelemetry.System, QuickSilverTelemetry.SystemName)
            .SetTag(QuickSilverTelemetry.Destination, group)
            .SetTag(QuickSilverTelemetry.OperationName, operation)
            .SetTag(QuickSilverTelemetry.OperationType, operation);
    }
}
