namespace QuickSilver.Testing.Network;

/// <summary>
/// What one direction of the way between two nodes does to a datagram. Probabilities are per datagram and drawn apart
/// from each other; the datagrams of a train fare one by one.
/// </summary>
internal sealed record LinkModel
{
    /// <summary>Time on the way, without queues.</summary>
    public TimeSpan Delay { get; init; } = TimeSpan.FromMicroseconds(50);

    /// <summary>Mean of an exponential time added to <see cref="Delay"/>, cut off at ten means. It is queueing:
    /// datagrams of one link do not overtake each other by it.</summary>
    public TimeSpan Jitter { get; init; } = TimeSpan.FromMicroseconds(20);

    /// <summary>Probability of being lost, 0 to 1.</summary>
    public double Loss { get; init; }

    /// <summary>Probability of arriving twice, the second time up to <see cref="ReorderDelay"/> later.</summary>
    public double Duplication { get; init; }

    /// <summary>Probability of being held back, so that later datagrams overtake.</summary>
    public double Reordering { get; init; }

    /// <summary>Longest time for which a datagram is held back.</summary>
    public TimeSpan ReorderDelay { get; init; } = TimeSpan.FromMilliseconds(2);

    /// <summary>Probability of damage: flipped bits, a cut tail, a zeroed stretch, or the tail of another datagram; the
    /// copy arrives as if its UDP checksum were right.</summary>
    public double Corruption { get; init; }
}
