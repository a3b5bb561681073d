namespace QuickSilver.Protocol.Membership;

/// <summary>What the server waits for before a join can go on.</summary>
public enum JoinStage : byte
{
    /// <summary>Members install the step before, or that of the join.</summary>
    Install = 1,

    /// <summary>Senders switch to the step of the join.</summary>
    Switch,

    /// <summary>Senders finish with an old view, or members with what a removed sender left in it: the region has as many unretired
    /// views as it may.</summary>
    Drain,

    /// <summary>Survivors of a lost server report to the one that takes over.</summary>
    Survivors,
}
