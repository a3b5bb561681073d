namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>What a process asks another in an election.</summary>
internal enum VoteKind : byte
{
    /// <summary>Who serves, and what do you know? Changes nothing.</summary>
    Look = 1,

    /// <summary>The vote for the asking process to serve, for a time; or for longer.</summary>
    Vote = 2,

    /// <summary>The asking process serves no more: its vote may be given to another.</summary>
    Release = 3,

    /// <summary>The asking process wants to vote. Only the server takes it.</summary>
    Enrol = 4,

    /// <summary>The asking process ends in good order, and votes no more. Only the server takes it.</summary>
    Resign = 5,

    /// <summary>The asking process serves another cluster of this name, which would go into this one. Only the server
    /// takes it.</summary>
    Merge = 6,

    /// <summary>The asking process, which has this one's vote, has given its cluster up for another.</summary>
    Dissolve = 7,
}
