namespace QuickSilver.Testing.Runs;

/// <summary>What came of a run.</summary>
internal sealed record RunResult
{
    /// <summary>The promise it broke; null when it kept all.</summary>
    public Violation? Violation { get; init; }

    /// <summary>Hash over everything observable.</summary>
    public ulong Trace { get; init; }

    /// <summary>The hash after each ten thousand observations.</summary>
    public IReadOnlyList<ulong> Checkpoints { get; init; } = [];

    /// <summary>Virtual time that passed.</summary>
    public TimeSpan Elapsed { get; init; }

    /// <summary>Events that happened.</summary>
    public ulong Events { get; init; }

    /// <summary>Messages delivered, by any node.</summary>
    public ulong Delivered { get; init; }

    /// <summary>Datagrams handed to the network, by any node.</summary>
    public ulong Datagrams { get; init; }

    /// <summary>Copies of datagrams lost, cut off, doubled, held back or damaged.</summary>
    public ulong PacketFaults { get; init; }

    /// <summary>What the membership cost.</summary>
    public MembershipLoad Membership { get; init; } = new(0, TimeSpan.Zero, TimeSpan.Zero, 0);

    /// <summary>What the applications saw, a line each: time in ticks, node, event; empty unless
    /// <see cref="SimulationOptions.KeepsLog"/>.</summary>
    internal IReadOnlyList<string> Log { get; init; } = [];

    /// <summary>How often each mark of the protocol was reached.</summary>
    internal IReadOnlyDictionary<string, ulong> Marks { get; init; } = new Dictionary<string, ulong>();
}
