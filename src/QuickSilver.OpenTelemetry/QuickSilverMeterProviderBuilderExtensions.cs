using QuickSilver.Typed;

// The namespace of what it extends, so that a program needs no other.
namespace OpenTelemetry.Metrics;

/// <summary>Takes the instruments of QuickSilver.</summary>
public static class QuickSilverMeterProviderBuilderExtensions
{
    /// <summary>Collects the instruments of all nodes of the process, of hosted nodes, and of typed groups.
    /// docs/monitoring.md lists them. No instrument has groups or members as tags.</summary>
    /// <param name="builder">The builder of the meter provider.</param>
    /// <returns>The builder.</returns>
    public static MeterProviderBuilder AddQuickSilverInstrumentation(this MeterProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddMeter(
            QuickSilverTelemetry.MeterName, QuickSilverTelemetry.HostingMeterName, QuickSilverTelemetry.TypedMeterName);
    }
}
