using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>
/// Decides which of two clusters of one name goes into the other, when their servers learn of each other: the one with
/// fewer members, or of as many that of the higher instance. The other one has to agree, and stays for a while
/// afterwards: two servers never hand members back and forth. One call at a time.
/// </summary>
internal sealed class Merger
{
    // How long a cluster does not give way after another may have come into it.
    private static readonly TimeSpan Calm = TimeSpan.FromSeconds(10);

    private Instant _staysUntil;

    /// <summary>Finds the answer of a server of another cluster of this name; null for none.</summary>
    /// <param name="instance">The own cluster.</param>
    /// <param name="looks">What others have answered.</param>
    public static VoteAnswer? FindRival(ulong instance, IReadOnlyList<VoteAnswer> looks) => looks.FirstOrDefault(
        look => look.Instance != 0 && look.Instance != instance && look.Leader?.Id == look.Voter.Id);

    /// <summary>True unless another cluster has been let in a moment ago. Also asked once the other server has agreed.
    /// </summary>
    public bool MayGo(Instant now) => now >= _staysUntil;

    /// <summary>True when the own cluster is to go into another.</summary>
    public bool IsToGo(int members, ulong instance, VoteAnswer rival, Instant now) =>
        MayGo(now) && IsLess(members, instance, rival.Members, rival.Instance);

    /// <summary>The server of another cluster asks to go into the own one.</summary>
    /// <returns>True when it may.</returns>
    public bool TryTake(int members, ulong instance, VoteRequest other, Instant now)
    {
        bool mayCome = other.Instance != 0 && other.Instance != instance
            && IsLess(other.Members, other.Instance, members, instance);
        if (mayCome) _staysUntil = now + Calm;
        return mayCome;
    }

    private static bool IsLess(int members, ulong instance, int otherMembers, ulong otherInstance) =>
        members != otherMembers ? members < otherMembers : instance > otherInstance;
}
