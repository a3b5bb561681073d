using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Voting;

/// <summary>
/// The vote of one process: at most one other has it at a time, for a time that is counted by this process's clock. It
/// lives as long as the process does; nothing is kept on disk. One call at a time.
/// </summary>
internal sealed class Voter
{
    private readonly string _cluster;
    private readonly Probes _probes;
    private readonly Instant _since;
    private VoterInfo? _holder;
    private Instant _heldUntil;
    private long _term;
    private ulong _instance;

    /// <summary>Makes a voter that has not voted.</summary>
    /// <param name="cluster">The name of the cluster.</param>
    /// <param name="self">This life of the process.</param>
    /// <param name="now">The present instant.</param>
    /// <param name="probes">Hooks of simulator tests.</param>
    public Voter(string cluster, VoterInfo self, Instant now, Probes probes)
    {
        _cluster = cluster;
        Self = self;
        _since = now;
        _probes = probes;
    }

    /// <summary>This life of the process.</summary>
    public VoterInfo Self { get; }

    /// <summary>The latest electorate that is known here; null before the process belongs to a cluster.</summary>
    public Electorate? Known { get; private set; }

    /// <summary>The highest ballot that it has voted in.</summary>
    public long Ballot { get; private set; }

    /// <summary>The process that has the vote, its term and its cluster; null for none.</summary>
    public (VoterInfo Leader, long Term, ulong Instance)? LeaderAt(Instant now) =>
        _holder is not null && now < _heldUntil ? (_holder, _term, _instance) : null;

    /// <summary>Takes a later electorate that another process of the cluster knows.</summary>
    public void Learn(Electorate later)
    {
        if (Known is not null && Known.Instance == later.Instance && Known.Version < later.Version) Known = later;
    }

    /// <summary>A question of this process.</summary>
    public VoteRequest Ask(VoteKind kind) => new()
    {
        ClusterName = _cluster,
        Kind = kind,
        Asker = Self,
        Instance = Known?.Instance ?? 0,
        Electing = Known?.Version ?? default,
    };

    /// <summary>True when the server of another cluster lets this process vote: a voter there is a new one.</summary>
    /// <param name="enrolled">The answer of that server.</param>
    /// <param name="now">The present instant.</param>
    public bool IsOver(VoteAnswer enrolled, Instant now) =>
        enrolled.Verdict == VoteVerdict.Granted && enrolled.Instance != 0 && LeaderAt(now) is null
            && Known is { } known && known.Instance != enrolled.Instance;

    /// <summary>Answers a request of another process, or of this one.</summary>
    /// <returns>Null when the request is of another cluster, or nobody's business here.</returns>
    public VoteAnswer? Answer(VoteRequest request, Instant now)
    {
        if (request.ClusterName != _cluster) return null;
        switch (request.Kind)
        {
            case VoteKind.Look:
                return With(VoteVerdict.Granted, request, now);
            case VoteKind.Vote:
                VoteVerdict verdict = Judge(request, now);
                if (verdict == VoteVerdict.Granted) Grant(request, now);
                return With(verdict, request, now);
            case VoteKind.Release or VoteKind.Dissolve:
                bool isHolder = _holder?.Id == request.Asker.Id && request.Ballot == Ballot;
                if (isHolder) _heldUntil = now;
                return With(isHolder ? VoteVerdict.Granted : VoteVerdict.NotHere, request, now);
            default:
                return With(VoteVerdict.NotHere, request, now);
        }
    }

    /// <summary>Writes an answer, with what this process knows.</summary>
    public VoteAnswer With(VoteVerdict verdict, VoteRequest request, Instant now)
    {
        (VoterInfo Leader, long Term, ulong Instance)? leader = LeaderAt(now);
        bool isNews = Known is { } known && known.Instance == request.Instance && known.Version > request.Electing;
        return new VoteAnswer
        {
            Verdict = verdict,
            Voter = Self,
            Ballot = Ballot,
            Instance = Known?.Instance ?? 0,
            Known = Known?.Version ?? default,
            Electorate = isNews ? Known : null,
            Leader = leader?.Leader,
            LeaderTerm = leader?.Term ?? 0,
            LeaderInstance = leader?.Instance ?? 0,
        };
    }

    private VoteVerdict Judge(VoteRequest request, Instant now)
    {
        ulong asker = request.Asker.Id;
        if (Known is null ? request.Instance == 0 : Known.Instance != request.Instance)
            return VoteVerdict.OtherInstance;
        if (request.IsFounding && Known is not null) return VoteVerdict.OtherInstance;
        if (request.Ballot < Ballot || (request.Ballot == Ballot && _holder?.Id != asker)) return VoteVerdict.Outvoted;
        if (LeaderAt(now) is { } leader && leader.Leader.Id != asker) return VoteVerdict.Held;
        if (Known is not null)
        {
            if (request.Electing < Known.Version) return VoteVerdict.OlderElectorate;
            return request.Electing > Known.Version && request.Electorate is null
                ? VoteVerdict.UnknownElectorate
                : VoteVerdict.Granted;
        }
        if (request.Electorate is not { } electorate) return VoteVerdict.UnknownElectorate;
        if (electorate.Has(Self.Id)) return VoteVerdict.Granted;
        if (!electorate.All.Any(Self.HasSeatOf)) return VoteVerdict.NotHere;
        // The life before may have voted a moment before it ended.
        return now - _since < request.Duration ? VoteVerdict.TooYoung : VoteVerdict.Granted;
    }

    private void Grant(VoteRequest request, Instant now)
    {
        Debug.Assert(request.Ballot >= Ballot, "ballots only rise");
        Ballot = request.Ballot;
        _term = request.Term;
        _instance = request.Instance;
        _holder = request.Asker;
        _heldUntil = now + request.Duration;
        // A founding may fail: its electorate counts once its founder serves.
        if (request.Electorate is not { } electorate || request.IsFounding) return;
        if (Known is not null || electorate.Has(Self.Id)) Known = electorate;
        else _probes.Reached("a process votes in the seat of its life before");
    }
}
