using System.Net;
using QuickSilver.Protocol.Membership.Voting;

namespace QuickSilver.Membership.Peers;

/// <summary>Answers the questions of elections that come to a membership host. Any thread.</summary>
internal interface IVoteHost
{
    /// <summary>Answers a question.</summary>
    /// <param name="request">The question.</param>
    /// <param name="remote">The address that it came from.</param>
    /// <returns>The answer; null when it is of another cluster.</returns>
    VoteAnswer? Answer(VoteRequest request, IPAddress? remote);
}
