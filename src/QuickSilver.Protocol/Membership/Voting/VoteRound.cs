using System.Diagnostics;

namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>
/// One question to all voters of an electorate, and what they answer. A process that has the seat of a voter which has
/// ended may vote for it, but then all seats are needed: a majority of lives that have forgotten everything proves
/// nothing. One call at a time.
/// </summary>
internal sealed class VoteRound
{
    private readonly SortedDictionary<ulong, VoteAnswer?> _answers = [];
    private readonly SortedSet<ulong> _granted = [];
    private readonly bool _isFounding;

    /// <summary>Begins a round.</summary>
    /// <param name="electorate">Whose majority is needed.</param>
    /// <param name="isFounding">True when the cluster is to be founded.</param>
    public VoteRound(Electorate electorate, bool isFounding = false)
    {
        Electorate = electorate;
        _isFounding = isFounding;
        Voters = [.. electorate.All];
    }

    /// <summary>Whose majority is needed.</summary>
    public Electorate Electorate { get; }

    /// <summary>Everybody who is asked.</summary>
    public IReadOnlyList<VoterInfo> Voters { get; }

    /// <summary>True when the asking process has won.</summary>
    public bool IsWon => _granted.Count > 0 && Electorate.IsMajority(_granted) && (!HasSuccessors || HasAll);

    /// <summary>True when everybody has answered, or has been given up.</summary>
    public bool IsOver => _answers.Count == Voters.Count;

    /// <summary>The highest ballot that anybody has voted in.</summary>
    public long HighestBallot => Answers.Select(static answer => answer.Ballot).DefaultIfEmpty(0).Max();

    /// <summary>True when somebody has voted in a ballot that is not below this one.</summary>
    public bool IsOutvoted => Answers.Any(static answer => answer.Verdict == VoteVerdict.Outvoted);

    /// <summary>The latest electorate that anybody knows; null when it is none later than this one.</summary>
    public Electorate? Later => Answers.Select(static answer => answer.Electorate).OfType<Electorate>()
        .Where(known => known.Instance == Electorate.Instance && known.Version > Electorate.Version)
        .MaxBy(static known => known.Version);

    /// <summary>Voters that have been replaced by a later life of their process.</summary>
    public IEnumerable<ulong> Replaced => _answers
        .Where(static pair => pair.Value is { } answer && answer.Voter.Id != pair.Key).Select(static pair => pair.Key);

    private IEnumerable<VoteAnswer> Answers => _answers.Values.OfType<VoteAnswer>();

    private bool HasSuccessors => Replaced.Any(_granted.Contains);

    private bool HasAll => _granted.Count == Voters.Count;

    /// <summary>A voter has answered.</summary>
    /// <param name="asked">The voter that was asked.</param>
    /// <param name="answer">Its answer, or that of a later life at its place; null for none.</param>
    public void OnAnswer(VoterInfo asked, VoteAnswer? answer)
    {
        Debug.Assert(Electorate.Has(asked.Id), "only voters are asked");
        bool isOfSeat = answer is not null && (answer.Voter.Id == asked.Id || answer.Voter.HasSeatOf(asked));
        _answers[asked.Id] = isOfSeat ? answer : null;
        if (isOfSeat && answer!.Verdict == VoteVerdict.Granted) _granted.Add(asked.Id);
        else _granted.Remove(asked.Id);
    }

    /// <summary>True when a voter has granted what was asked.</summary>
    public bool HasGranted(ulong voter) => _granted.Contains(voter);

    /// <summary>Says who has not granted it, and why, for operators.</summary>
    public string Describe()
    {
        IEnumerable<string> missing = Voters.Where(voter => !_granted.Contains(voter.Id)).Take(8)
            .Select(voter => $"{voter} {Reason(_answers.GetValueOrDefault(voter.Id))}");
        string what = _isFounding ? "founders agree" : "voters agree";
        string all = HasSuccessors ? ", and all are needed since some of them were restarted" : "";
        return $"{_granted.Count} of {Voters.Count} {what}{all}: {string.Join(", ", missing)}";
    }

    private static string Reason(VoteAnswer? answer) => answer?.Verdict switch
    {
        null => "does not answer",
        VoteVerdict.Held when answer.Leader is { } leader => $"waits for the end of {leader}",
        VoteVerdict.TooYoung => "has just been restarted",
        VoteVerdict.OtherInstance => "belongs to another cluster of this name",
        _ => "votes for another",
    };
}
