namespace QuickSilver.Protocol.Core;

/// <summary>
/// Ways to break the protocol on purpose, one defect each: tests plant them to prove that the simulator's invariants would find such a defect.
/// Nothing sets them but tests; each is looked
/// at where the defect would be made.
/// </summary>
[Flags]
internal enum Sabotage
{
    /// <summary>The protocol as it is meant.</summary>
    None = 0,

    /// <summary>A packet counts as received although it was not stored: now and then a receiver drops one after it has marked it.</summary>
    AckBeforeStore = 1,

    /// <summary>Merging two intervals of received packets takes one missing number in as well.</summary>
    IntervalMerge = 2,

    /// <summary>A node takes its members for those of the neighbouring partition.</summary>
    PartitionMap = 4,

    /// <summary>A sender leaves a message number out, now and then.</summary>
    NumberSkipped = 8,

    /// <summary>A receiver delivers a message again, now and then, when a second copy of its packet comes.</summary>
    DuplicateDelivered = 16,

    /// <summary>Packets are cleaned up before every live member holds them.</summary>
    EarlyCleanup = 32,
}
