namespace QuickSilver.Testing.Nodes;

/// <summary>
/// Pauses that no event of the protocol causes: collections, at the rate at which the node's work allocates, and
/// preemption by other processes. They come at the end of a turn, and keep the node from its next one.
/// </summary>
internal sealed record MemoryModel
{
    /// <summary>No pauses.</summary>
    public static MemoryModel None { get; } = new();

    /// <summary>
    /// The papers' runtime: every message allocates some multiples of its own size, young collections come many times a
    /// second, every fiftieth is full and takes time in proportion to what is alive; other processes take the processor
    /// now and then.
    /// </summary>
    public static MemoryModel Papers { get; } = new()
    {
        NurseryBytes = 1 << 20,
        AllocatedPerMessage = 3_000,
        AllocatedPerDatagram = 500,
        MinorsPerFull = 50,
        LiveBytes = 8 << 20,
        PreemptionEvery = TimeSpan.FromSeconds(5),
    };

    /// <summary>Bytes allocated from one minor collection to the next; 0: there are no collections.</summary>
    public long NurseryBytes { get; init; }

    /// <summary>Bytes that each message sent or delivered allocates.</summary>
    public int AllocatedPerMessage { get; init; }

    /// <summary>Bytes that each datagram sent or read allocates.</summary>
    public int AllocatedPerDatagram { get; init; }

    /// <summary>The shortest minor collection.</summary>
    public TimeSpan MinorShortest { get; init; } = TimeSpan.FromMilliseconds(0.2);

    /// <summary>The longest minor collection; most are nearer the shortest.</summary>
    public TimeSpan MinorLongest { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>Every so manieth collection is a full one; 0: none is.</summary>
    public int MinorsPerFull { get; init; }

    /// <summary>What a full collection takes at least.</summary>
    public TimeSpan FullBase { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>What it takes for each megabyte (2^20 bytes) alive: pending messages, kept packets and
    /// <see cref="LiveBytes"/>.</summary>
    public TimeSpan FullPerMegabyte { get; init; } = TimeSpan.FromMilliseconds(0.2);

    /// <summary>Bytes alive beside what the protocol keeps.</summary>
    public long LiveBytes { get; init; }

    /// <summary>Mean time between two preemptions; zero: there are none.</summary>
    public TimeSpan PreemptionEvery { get; init; }

    /// <summary>The shortest preemption.</summary>
    public TimeSpan PreemptionShortest { get; init; } = TimeSpan.FromMilliseconds(1);

    /// <summary>The longest preemption.</summary>
    public TimeSpan PreemptionLongest { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>True when there is any pause to think of.</summary>
    internal bool IsActive => NurseryBytes > 0 || PreemptionEvery > TimeSpan.Zero;
}
