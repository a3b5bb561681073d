namespace QuickSilver.Testing.Membership;

/// <summary>How the hosts of a simulation elect the one that serves: by a store of leases, or by their own
/// votes.</summary>
internal sealed record ElectionModel
{
    /// <summary>Hosts that campaign.</summary>
    public int Hosts { get; init; } = 2;

    /// <summary>How long a lease lasts, from the instant at which the store grants it.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(4);

    /// <summary>How often a host that does not serve asks whether anybody does.</summary>
    public TimeSpan Pause { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>Longest time of a request on its way to the store, and of an answer on its way back.</summary>
    public TimeSpan Delay { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>Probability that a request or its answer is lost, until <see cref="LossUntil"/>.</summary>
    public double Loss { get; init; }

    /// <summary>The end of the losses, counted from the start of the simulation.</summary>
    public TimeSpan LossUntil { get; init; }

    /// <summary>Hosts that found a cluster together, where the hosts elect by their own votes; 0: a store of leases
    /// elects.</summary>
    public int Founders { get; init; }

    /// <summary>How long a host may be silent before it has no vote.</summary>
    public TimeSpan Silence { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long a host waits for answers.</summary>
    public TimeSpan CallTime { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The hosts' clocks go wrong by up to so many parts in a million. A lease bears 60,000.</summary>
    public int ClockDrift { get; init; }
}
