namespace QuickSilver.Protocol.Core;

/// <summary>
/// Ways to break the protocol on purpose, one defect each: tests plant them, one at a time, to prove that the simulator's invariants would find such
/// a defect. Nothing sets them but tests; each is asked for through <see cref="Probes.Breaks"/> where the defect would be made.
/// </summary>
internal enum Sabotage : byte
{
    /// <summary>The protocol as it is meant.</summary>
    None,

    /// <summary>A packet counts as received although it was not stored: now and then a receiver drops one after it has marked it.</summary>
    AckBeforeStore,

    /// <summary>Merging two intervals of received packets takes one missing number in as well.</summary>
    IntervalMerge,

    /// <summary>A node takes its members for those of the neighbouring partition.</summary>
    PartitionMap,

    /// <summary>A sender leaves a message number out, now and then.</summary>
    NumberSkipped,

    /// <summary>A receiver delivers a message again, now and then, when a second copy of its packet comes.</summary>
    DuplicateDelivered,

    /// <summary>Packets are cleaned up before every live member holds them.</summary>
    EarlyCleanup,
}
