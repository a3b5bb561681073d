using System.Diagnostics.Metrics;
using System.Globalization;

namespace QuickSilver.Typed;

/// <summary>The time from a send to the moment when the application takes the message, for one message in some. A
/// header carries the sender's clock; between machines the figure is as good as their clocks agree.</summary>
internal static class LatencySamples
{
    private static readonly Meter Meter = new(QuickSilverTelemetry.TypedMeterName);

    private static readonly Histogram<double> Latency = Meter.CreateHistogram(
        "quicksilver.delivery.latency",
        "s",
        "From the send to the moment when the application takes the message, for a sample of messages",
        advice: new InstrumentAdvice<double>
        {
            HistogramBucketBoundaries =
                [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
        });

    /// <summary>The header of a message of the sample.</summary>
    public static KeyValuePair<string, string> Stamp() =>
        new(QuickSilverTelemetry.SentHeader, Now().ToString(CultureInfo.InvariantCulture));

    /// <summary>Records the latency of a message if it is of the sample. A header that is no time counts for
    /// nothing; a clock that is behind gives zero.</summary>
    public static void Note(MessageHeaders? headers)
    {
        if (headers is null || !Latency.Enabled) return;
        if (!headers.TryGetValue(QuickSilverTelemetry.SentHeader, out string? text)) return;
        if (!long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long sent)) return;
        Latency.Record(Math.Max(0, Now() - sent) / 1e6);
    }

    // Microseconds since 1970.
    private static long Now() =>
        (TimeProvider.System.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks / TimeSpan.TicksPerMicrosecond;
}
