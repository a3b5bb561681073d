using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership.Voting;

namespace QuickSilver.Testing.Membership;

/// <summary>A round of questions that a host of an election has asked.</summary>
/// <param name="host">Who asks.</param>
/// <param name="round">The votes; null when it only looks.</param>
/// <param name="asked">When, by its clock.</param>
internal sealed class Poll(SimulatedPeer host, VoteRound? round, Instant asked)
{
    /// <summary>Who asks.</summary>
    public SimulatedPeer Host { get; } = host;

    /// <summary>The votes; null when it only looks.</summary>
    public VoteRound? Round { get; } = round;

    /// <summary>When it was asked, by the clock of the host.</summary>
    public Instant Asked { get; } = asked;

    /// <summary>What was seen.</summary>
    public List<VoteAnswer> Looks { get; } = [];

    /// <summary>The ballot of a campaign.</summary>
    public long Ballot { get; init; }

    /// <summary>True when the host serves already.</summary>
    public bool IsRenewal { get; init; }

    /// <summary>The number of this round of a renewal.</summary>
    public int Rounds { get; init; }

    /// <summary>Questions that are not answered yet.</summary>
    public int Left { get; set; }
}
