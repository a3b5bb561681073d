using QuickSilver.Testing.Faults;

namespace QuickSilver.Testing.Runs;

/// <summary>
/// A run as data: the cluster with all its settings, who belongs where, who sends what, what goes wrong and when. It is
/// written by a generator, by a test or by hand, saved as JSON, cut down by the <see cref="Shrinking.Shrinker"/>, and
/// executed by <see cref="RunExecution"/>, which decides nothing by itself: equal specifications give equal runs. All
/// times count from the start of the run.
/// </summary>
/// <remarks>
/// A run has two phases. Until <see cref="HealAt"/> anything may break; all faults but those that last for ever must be
/// over by then. Afterwards the core, which is every machine that no fault hits for ever, must agree on its views and
/// keep every promise in bounded time, while the rest stays as it is.
/// </remarks>
internal sealed record RunSpec
{
    /// <summary>The cluster: seed, number of machines, network, settings of all parts.</summary>
    public SimulationOptions Options { get; init; } = new();

    /// <summary>Groups of each machine: its first node asks for them when the run starts, each later one when it
    /// starts. A machine without an entry is in none.</summary>
    public IReadOnlyList<IReadOnlyList<string>> Groups { get; init; } = [];

    /// <summary>Groups that each machine publishes to, whether it is in them or not: as <see cref="Groups"/>.</summary>
    public IReadOnlyList<IReadOnlyList<string>> Publishers { get; init; } = [];

    /// <summary>Who sends what; the starts count from the start of the run.</summary>
    public IReadOnlyList<SendPlan> Plans { get; init; } = [];

    /// <summary>What the application does beside sending.</summary>
    public IReadOnlyList<RunAction> Actions { get; init; } = [];

    /// <summary>What goes wrong.</summary>
    public IReadOnlyList<Fault> Faults { get; init; } = [];

    /// <summary>End of the first phase.</summary>
    public TimeSpan HealAt { get; init; } = TimeSpan.FromSeconds(2);

    /// <summary>How long after <see cref="HealAt"/> it may take until every join of the core has returned, and its
    /// views name exactly its living nodes (V9); no longer for anything. Null: not asked.</summary>
    public TimeSpan? JoinLimit { get; init; }

    /// <summary>How long after <see cref="HealAt"/> the core may need until its views name exactly its living nodes
    /// (V8) and its joins and leaves have returned.</summary>
    public TimeSpan ConvergenceLimit { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long it may need then, or after the last message, until all is delivered and stable; longer while
    /// something is delivered every minute.</summary>
    public TimeSpan SettleLimit { get; init; } = TimeSpan.FromSeconds(300);

    /// <summary>True: in the end the core must fall silent on the data network (Q1) and its nodes shut down clean
    /// (R4).</summary>
    public bool MustFallSilent { get; init; } = true;

    /// <summary>What the generator chose for this run: kinds of trouble, verbs and knobs, for tables and
    /// people.</summary>
    public IReadOnlyList<string> Traits { get; init; } = [];

    /// <summary>Machines that some fault hits for ever.</summary>
    internal IReadOnlySet<int> Lost() =>
        Faults.Where(fault => fault.IsForEver).SelectMany(fault => fault.Hits).ToHashSet();

    /// <summary>Machines that some fault hits for ever, so that the membership server finds them dead.</summary>
    internal IReadOnlySet<int> Dead() =>
        Faults.Where(fault => fault.IsForEver && fault.IsSeenByServer).SelectMany(fault => fault.Hits).ToHashSet();
}
