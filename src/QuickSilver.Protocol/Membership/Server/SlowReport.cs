using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>The last report of a node on members that are behind; kept by <see cref="SlowMemberJudge"/>.</summary>
/// <param name="Node">The node that reports.</param>
/// <param name="At">The time of the report.</param>
/// <param name="Slow">The members that it names, the furthest behind first.</param>
/// <param name="BehindFor">Time for which it has been behind itself; zero when it keeps up.</param>
/// <param name="IsHandling">True when its handlers take most of its time.</param>
internal sealed record SlowReport(
    ServerNode Node, Instant At, IReadOnlyList<SlowMember> Slow, TimeSpan BehindFor, bool IsHandling)
{
    /// <summary>Limit on the members of a report that count.</summary>
    public const int MostMembers = 32;

    /// <summary>True when the report names a node.</summary>
    public bool Names(ServerNode node)
    {
        foreach (SlowMember slow in Slow)
        {
            if (slow.Node == node.Key) return true;
        }
        return false;
    }
}
