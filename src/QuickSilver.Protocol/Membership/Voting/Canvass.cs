namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>
/// What a process makes of what it has seen of the others: who serves; and if nobody does, whether it is the one to
/// stand for election, or to found the cluster. One call at a time.
/// </summary>
/// <param name="founders">Number of processes that found a cluster together.</param>
internal sealed class Canvass(int founders)
{
    private const int MostYields = 2;
    private const int MostNames = 8;
    // Clusters of one name that do not know of each other have different terms, most likely.
    private const ulong FoundingBallots = 1 << 16;
    private const ulong LaterBallots = 1 << 8;

    private int _yields;

    /// <summary>Finds the process that serves.</summary>
    /// <param name="voter">The vote of this process.</param>
    /// <param name="looks">What the others have answered.</param>
    /// <returns>The answer that names it; null for none.</returns>
    public static VoteAnswer? FindLeader(Voter voter, IReadOnlyList<VoteAnswer> looks)
    {
        foreach (Electorate later in looks.Select(static look => look.Electorate).OfType<Electorate>())
            voter.Learn(later);
        if (voter.Known is not { } known) return BestOf(looks, voter);
        // The own cluster first: it may only be between two servers.
        return BestOf(looks.Where(look => look.Instance == known.Instance), voter)
            ?? (known.IsMajority(PresentOf(known, voter, looks)) ? null : BestOf(looks, voter));
    }

    /// <summary>Decides what this process stands for, when nobody serves.</summary>
    /// <param name="voter">The vote of this process.</param>
    /// <param name="looks">What the others have answered.</param>
    /// <param name="lowest">The lowest ballot.</param>
    /// <param name="draw">A random number, not 0: the instance of a cluster to be founded.</param>
    /// <param name="refusal">Why there is nothing to stand for; empty when another is to stand.</param>
    /// <returns>Null when this process is not to stand now.</returns>
    public Candidacy? Stand(
        Voter voter, IReadOnlyList<VoteAnswer> looks, long lowest, ulong draw, out string refusal)
    {
        refusal = "";
        VoterInfo self = voter.Self;
        long ballot = BallotAfter(voter, looks, lowest);
        if (voter.Known is { } known)
        {
            SortedSet<ulong> present = PresentOf(known, voter, looks);
            bool isFirst = known.All.FirstOrDefault(one => present.Contains(one.Id))?.Id == self.Id;
            ballot += (long)(draw % LaterBallots);
            return isFirst || !Yields() ? new Candidacy(self, new VoteRound(known), ballot, IsFounding: false) : null;
        }
        if (looks.FirstOrDefault(static look => look.Instance != 0) is { } member)
        {
            refusal = $"{member.Voter} belongs to the cluster, and its members elect no server";
            return null;
        }
        VoterInfo[] all = [.. looks.Select(static look => look.Voter).Where(static one => one.Place.Port != 0)
            .Append(self).OrderBy(static one => one.Id)];
        if (all.Length < founders)
        {
            string names = string.Join(", ", all.Take(MostNames).Select(static one => one.ToString()));
            refusal = $"{all.Length} of {founders} founders (Membership.Peers.Founders) are there: {names}";
            return null;
        }
        if (all[0].Id != self.Id && Yields()) return null;
        ballot += (long)(draw % FoundingBallots);
        var first = new Electorate(draw, new ElectorateVersion(ballot, 0), all, []);
        return new Candidacy(self, new VoteRound(first, isFounding: true), ballot, IsFounding: true);
    }

    // Above every ballot and term of the own cluster, and of those that belong to none: they may vote in a seat of it.
    private static long BallotAfter(Voter voter, IReadOnlyList<VoteAnswer> looks, long lowest) => looks
        .Where(look => look.Instance == 0 || look.Instance == voter.Known?.Instance)
        .Select(static look => Math.Max(look.Ballot, look.Known.Term))
        .Append(voter.Ballot).Append(voter.Known?.Version.Term ?? 0).Append(lowest - 1).Max() + 1;

    // Leaves it to another a few times: that one may not know yet, or not be able to.
    private bool Yields()
    {
        if (_yields++ < MostYields) return true;
        _yields = 0;
        return false;
    }

    private static VoteAnswer? BestOf(IEnumerable<VoteAnswer> looks, Voter voter) => looks
        .Where(look => look.Leader is { } leader && leader.Id != voter.Self.Id)
        .MaxBy(static look => look.LeaderTerm);

    private static SortedSet<ulong> PresentOf(Electorate known, Voter voter, IReadOnlyList<VoteAnswer> looks) =>
        [.. looks.Where(look => look.Instance == known.Instance).Select(static look => look.Voter.Id), voter.Self.Id];
}
