namespace QuickSilver.Typed;

/// <summary>Settings of a typed group at one node.</summary>
public sealed class TypedGroupOptions
{
    /// <summary>Whether messages carry the sender's trace context (W3C), and sends and receives are activities of the
    /// source <see cref="QuickSilverTelemetry.ActivitySourceName"/>. Costs two headers a message while somebody
    /// traces, and nothing otherwise. Default: false.</summary>
    public bool Tracing { get; set; }

    /// <summary>One message in so many carries the time of its send, which readers record in the histogram
    /// <c>quicksilver.delivery.latency</c>. It costs such a message a header. 0 (default): none.</summary>
    public int LatencySampleEvery { get; set; }

    internal void Validate(string parameter)
    {
        if (LatencySampleEvery >= 0) return;
        throw new ArgumentException(
            $"{nameof(LatencySampleEvery)} is {LatencySampleEvery}, and 0 is the least.", parameter);
    }
}
