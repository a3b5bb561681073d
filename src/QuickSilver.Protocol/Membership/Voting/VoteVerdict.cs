namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>What a process answers to a <see cref="VoteKind"/>.</summary>
internal enum VoteVerdict : byte
{
    /// <summary>Yes.</summary>
    Granted = 1,

    /// <summary>The vote is another's for now.</summary>
    Held = 2,

    /// <summary>The ballot is not above one that was voted in.</summary>
    Outvoted = 3,

    /// <summary>A later electorate is known; the answer has it.</summary>
    OlderElectorate = 4,

    /// <summary>The request names an electorate that is not known here: to be asked again with it.</summary>
    UnknownElectorate = 5,

    /// <summary>This process belongs to another cluster of the same name, or to one already.</summary>
    OtherInstance = 6,

    /// <summary>This process has the seat of one that ended lately, whose vote may still be given.</summary>
    TooYoung = 7,

    /// <summary>This process does not serve, or does not vote in the electorate.</summary>
    NotHere = 8,
}
