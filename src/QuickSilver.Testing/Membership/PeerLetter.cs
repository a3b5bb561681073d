using QuickSilver.Protocol.Membership.Voting;

namespace QuickSilver.Testing.Membership;

/// <summary>A question of one simulated host to another, and its answer on the way back.</summary>
/// <param name="From">Who asks.</param>
/// <param name="Life">Its life then.</param>
/// <param name="To">Where the letter goes.</param>
/// <param name="Request">The question.</param>
/// <param name="Poll">What it belongs to; null for nothing.</param>
/// <param name="Asked">Who is meant.</param>
internal sealed record PeerLetter(
    SimulatedPeer From, int Life, SimulatedPeer? To, VoteRequest Request, Poll? Poll, VoterInfo Asked)
{
    /// <summary>The answer; null on the way there.</summary>
    public VoteAnswer? Answer { get; init; }

    /// <summary>Who answers; null on the way there.</summary>
    public SimulatedPeer? Responder { get; init; }
}
