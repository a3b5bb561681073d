namespace QuickSilver.Testing.Scheduling;

/// <summary>Kinds of random decisions, each a stream of its own: drawing more from one changes nothing in the
/// others.</summary>
internal enum RandomStream : byte
{
    /// <summary>Order of events that are due at one instant.</summary>
    Ties = 1,

    /// <summary>Who is in which group, where nodes stand.</summary>
    Topology,

    /// <summary>Who sends what and when.</summary>
    Workload,

    /// <summary>Loss on links.</summary>
    Loss,

    /// <summary>Delay, jitter and reordering on links.</summary>
    Delay,

    /// <summary>Duplication on links.</summary>
    Duplication,

    /// <summary>Damage to datagrams.</summary>
    Corruption,

    /// <summary>Costs of turns of the loop.</summary>
    Processor,

    /// <summary>Faults made by a generator.</summary>
    Faults,

    /// <summary>Values of options.</summary>
    Options,

    /// <summary>Seeds handed to the nodes' own generators.</summary>
    Node,

    /// <summary>Rare turns that the protocol takes at the simulator's whim.</summary>
    Buggify,

    /// <summary>How long ways are good and bad, where losses come in bursts.</summary>
    Bursts,

    /// <summary>Lengths of collections.</summary>
    Collector,
}
