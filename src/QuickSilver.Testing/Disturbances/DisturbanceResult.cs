namespace QuickSilver.Testing.Disturbances;

/// <summary>What a disturbance did to a cluster.</summary>
internal sealed record DisturbanceResult
{
    /// <summary>What was run.</summary>
    public required DisturbanceSpec Spec { get; init; }

    /// <summary>The curve, bin after bin.</summary>
    public required IReadOnlyList<CurvePoint> Curve { get; init; }

    /// <summary>Mean rate of sending in the calm stretch.</summary>
    public required double CalmRate { get; init; }

    /// <summary>Mean rate of sending in the disturbed stretch.</summary>
    public required double DisturbedRate { get; init; }

    /// <summary>How much less was sent in the disturbed stretch, as a share of the calm rate; below 0 when more
    /// was.</summary>
    public double ThroughputLoss => 1 - (DisturbedRate / CalmRate);

    /// <summary>Extra time that sending as much took: the first paper's cumulative delay.</summary>
    public TimeSpan CumulativeDelay => (Spec.DisturbedUntil - Spec.DisturbedFrom) * ThroughputLoss;

    /// <summary>Standard deviation over mean of the witness's rate in bins of one second, in the disturbed
    /// stretch.</summary>
    public required double Oscillation { get; init; }

    /// <summary>The most messages pending.</summary>
    public long MostPending => Curve.Max(point => point.Pending);

    /// <summary>From the end of the last fault until sending and the slowest curve are back: the first bin from which
    /// on sending keeps to 95 % of the calm rate over a second and fewer messages are pending than a second's; null
    /// when that never came.</summary>
    public required TimeSpan? Recovered { get; init; }

    /// <summary>Mean time to deliver at the undisturbed receiver, calm.</summary>
    public required TimeSpan CalmLatency { get; init; }

    /// <summary>The same in the disturbed stretch.</summary>
    public required TimeSpan WitnessLatency { get; init; }

    /// <summary>Mean time to deliver at the disturbed node in the disturbed stretch.</summary>
    public required TimeSpan VictimLatency { get; init; }

    /// <summary>Packets the disturbed node missed, and how many of them peers gave it.</summary>
    public required (ulong Missed, ulong FromPeers, ulong FromSender) VictimRepairs { get; init; }

    /// <summary>Virtual seconds that one second of the machine carried.</summary>
    public required double Speed { get; init; }

    /// <summary>True when in the end everything sent was delivered everywhere and known stable.</summary>
    public required bool Settled { get; init; }
}
