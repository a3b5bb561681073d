namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>What a process stands for.</summary>
/// <param name="Self">The process.</param>
/// <param name="Round">The voters that it is to ask.</param>
/// <param name="Ballot">The number of its ballot.</param>
/// <param name="IsFounding">True when the cluster is to be founded.</param>
internal sealed record Candidacy(VoterInfo Self, VoteRound Round, long Ballot, bool IsFounding);
