namespace QuickSilver.Protocol.Membership;

/// <summary>The stage for which a join waits at the server.</summary>
internal enum JoinStage : byte
{
    /// <summary>Members install the previous step, or that of the join.</summary>
    Install = 1,

    /// <summary>Senders switch to the step of the join.</summary>
    Switch,

    /// <summary>
    /// Senders finish with an old view, or members with the streams of a removed sender in it. The region is at its
    /// limit of unretired views.
    /// </summary>
    Drain,

    /// <summary>Survivors of a lost server report to the one that takes over.</summary>
    Survivors,
}
