using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Nodes;

namespace QuickSilver.Testing.Invariants;

/// <summary>All invariants of one run, and the groups they know.</summary>
internal sealed class ClusterChecks
{
    private readonly Dictionary<GroupId, GroupLog> _byId = [];
    private readonly List<GroupLog> _groups = [];
    private readonly RunContext _run;

    /// <summary>Makes the checks of a run.</summary>
    /// <param name="run">The run.</param>
    /// <param name="lives">True for nodes that have neither crashed nor ended otherwise, nor been removed.</param>
    /// <param name="nodes">The nodes by index.</param>
    public ClusterChecks(RunContext run, Func<int, bool> lives, Func<int, SimulatedNode> nodes)
    {
        _run = run;
        Lives = lives;
        Versions = new VersionChecks(run, nodes);
        Views = new ViewChecks(run, Versions);
        Deliveries = new DeliveryChecks(run, Views);
        LongMessages = new LongMessageChecks(run, Views);
        Stability = new StabilityChecks(run, Views, nodes);
        Budgets = new BudgetChecks(run);
        Repeats = new RepeatChecks(run);
        Memory = new MemoryChecks(run);
        Removals = new RemovalChecks(run);
        Ordered = new OrderedChecks(run, Views, lives, nodes);
        Tokens = new TokenChecks(run, Views);
        Rates = new RateChecks(run, lives, nodes);
    }

    /// <summary>True for nodes that have neither crashed nor ended otherwise, nor been removed.</summary>
    public Func<int, bool> Lives { get; }

    /// <summary>E4.</summary>
    public VersionChecks Versions { get; }

    /// <summary>V1 to V4.</summary>
    public ViewChecks Views { get; }

    /// <summary>D1 to D5.</summary>
    public DeliveryChecks Deliveries { get; }

    /// <summary>L1 to L3.</summary>
    public LongMessageChecks LongMessages { get; }

    /// <summary>D8.</summary>
    public StabilityChecks Stability { get; }

    /// <summary>R1 and R4.</summary>
    public MemoryChecks Memory { get; }

    /// <summary>R2.</summary>
    public BudgetChecks Budgets { get; }

    /// <summary>R7.</summary>
    public RepeatChecks Repeats { get; }

    /// <summary>V5 and V7.</summary>
    public RemovalChecks Removals { get; }

    /// <summary>O1 to O4.</summary>
    public OrderedChecks Ordered { get; }

    /// <summary>R3.</summary>
    public TokenChecks Tokens { get; }

    /// <summary>V11.</summary>
    public RateChecks Rates { get; }

    /// <summary>Every group ever used, in the order of first use.</summary>
    public IReadOnlyList<GroupLog> Groups => _groups;

    /// <summary>The group of an id. A group whose last member left before a server that nobody told of it took over
    /// comes back as another group of the same name, in which the numbers of messages start again.</summary>
    public GroupLog GroupOf(string name, GroupId id)
    {
        if (_byId.TryGetValue(id, out GroupLog? group))
        {
            if (group.Name == name) return group;
            throw _run.Violation("V5", $"{id} names {group.Name} and {name}");
        }
        bool isSecond = _groups.Exists(known => known.Name == name);
        group = new GroupLog(
            name, _groups.Count, _run.Options.Lives)
        { LogName = isSecond ? $"{name}#{_groups.Count}" : name };
        _byId.Add(id, group);
        _groups.Add(group);
        return group;
    }
}
