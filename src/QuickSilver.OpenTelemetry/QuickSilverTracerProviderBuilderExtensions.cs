using QuickSilver.Typed;

// The namespace of what it extends, so that a program needs no other.
namespace OpenTelemetry.Trace;

/// <summary>Takes the activities of QuickSilver.</summary>
public static class QuickSilverTracerProviderBuilderExtensions
{
    /// <summary>Collects the activities of typed groups with <see cref="TypedGroupOptions.Tracing"/>: "send",
    /// "receive" and, for handlers of a host, "process", in one trace across processes. Other groups make
    /// none.</summary>
    /// <param name="builder">The builder of the tracer provider.</param>
    /// <returns>The builder.</returns>
    public static TracerProviderBuilder AddQuickSilverInstrumentation(this TracerProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddSource(QuickSilverTelemetry.ActivitySourceName);
    }
}
