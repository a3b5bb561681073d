using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// Who leads one ring, as this member knows it, and how long this member waits for a leader that is silent.
/// <para>
/// Idea: the lowest member that is not removed leads. While data is unstable everybody else waits for the token, longer for each rank; whose
/// patience ends first takes the lead in the next epoch. Of two leaders the one with the higher epoch wins, then the one with the lower rank, unless
/// it is removed.
/// </para>
/// <para>
/// What is found out in a <see cref="Term"/> holds while the same member leads; what is found out in a <see cref="Era"/>, only until somebody's
/// removal becomes known as well. Both are counted by each member for itself and never leave it. Cost: O(1), O(members) to find a rank.
/// </para>
/// </summary>
internal sealed class RingLeadership
{
    /// <summary>So many epochs a token may be ahead of what is known here.</summary>
    public const uint MostEpochs = 64;

    /// <summary>So many rounds a token may be ahead of the last one met here.</summary>
    public const ulong MostRounds = 1 << 20;

    private const int PatiencesToBelieve = 8;

    private readonly Recoverer _node;
    private readonly RegionRecovery _region;
    private readonly RingPlan _plan;
    private readonly LeaderTimeout _patience;
    private readonly Alarm _watch;
    private Instant _beyondSince;

    /// <summary>The lowest live member leads, in epoch 0.</summary>
    /// <param name="node">The node.</param>
    /// <param name="region">The view.</param>
    /// <param name="plan">Ranks the members.</param>
    /// <param name="patienceEnded">Called when no token has come, or the round begun here has not ended, for too long.</param>
    public RingLeadership(Recoverer node, RegionRecovery region, RingPlan plan, Action<Instant> patienceEnded)
    {
        _node = node;
        _region = region;
        _plan = plan;
        _patience = new LeaderTimeout(node.Settings, node.Counters);
        _watch = new Alarm(node.Alarms, patienceEnded);
        Leader = plan.FirstLive();
    }

    /// <summary>The member that leads.</summary>
    public int Leader { get; private set; }

    /// <summary>Rises with each takeover, and with each round begun anew.</summary>
    public uint Epoch { get; private set; }

    /// <summary>Counts the times that this member came to lead, or somebody else did.</summary>
    public int Term { get; private set; } = 1;

    /// <summary>Counts terms, and removals that became known in them.</summary>
    public int Era { get; private set; } = 1;

    /// <summary>True when this member leads.</summary>
    public bool IsHere => Leader == _region.Self;

    /// <summary>True while a token, or the end of a round, is waited for.</summary>
    public bool IsWatching => _watch.IsSet;

    /// <summary>How long the member that comes first in line waits.</summary>
    public TimeSpan PatienceOfFirst => _patience.OfFirst;

    /// <summary>True for a hop of the leader known here, in the epoch known here.</summary>
    public bool IsOf(in TokenHop hop) => hop.Epoch == Epoch && hop.Leader == Leader;

    /// <summary>
    /// True when the leader of a hop, which is not the one known here, takes its place. A removed leader's rank counts for nothing: what is left of
    /// its last round would be taken a second time, now that its successor, of a higher rank, is known.
    /// </summary>
    public bool YieldsTo(in TokenHop hop)
    {
        if (hop.Epoch != Epoch) return hop.Epoch > Epoch;
        return IsRemoved(Leader) || (hop.Leader < Leader && !IsRemoved(hop.Leader));
    }

    /// <summary>
    /// False for a token that is further ahead than a ring gets while a member looks away: one such token, believed, would have all others taken for
    /// old ones. A member that was cut off for very long believes it in the end: when data is unstable, and for eight times the usual patience no
    /// other token has come that could be believed.
    /// </summary>
    /// <param name="hop">How it came.</param>
    /// <param name="round">The last round met here.</param>
    /// <param name="now">The present instant.</param>
    public bool Reaches(in TokenHop hop, ulong round, Instant now)
    {
        bool isNear = (hop.Epoch <= Epoch || hop.Epoch - Epoch <= MostEpochs) && (hop.Round <= round || hop.Round - round <= MostRounds);
        if (isNear) return true;
        if (_beyondSince == Instant.Zero || !_region.IsActive) _beyondSince = now;
        return now - _beyondSince >= _patience.OfFirst * PatiencesToBelieve;
    }

    /// <summary>A token has come that is newer than all before; it tells how long rounds take, as seen from here, and whether they end.</summary>
    /// <param name="hop">How it came.</param>
    /// <param name="isNextRound">False when its round was met before.</param>
    /// <param name="now">The present instant.</param>
    public void Follow(in TokenHop hop, bool isNextRound, Instant now)
    {
        _beyondSince = Instant.Zero;
        if (!IsOf(hop)) _patience.OnNewLeader(now);
        else if (isNextRound) _patience.OnNextRound(_watch.IsSet, now);
        if (hop.Leader != Leader) BeginTerm();
        Epoch = hop.Epoch;
        Leader = hop.Leader;
    }

    /// <summary>Members may be gone from the cluster: the lowest that is left leads, if it was the leader.</summary>
    public void OnNodesRemoved()
    {
        if (!IsRemoved(Leader)) return;
        Leader = _plan.FirstLive();
        _node.Probes.Hit(Mark.LeaderRemoved);
        BeginTerm();
    }

    /// <summary>A removal was not known until now.</summary>
    public void OnRemovalLearned(Instant now)
    {
        Era++;
        OnNodesRemoved();
        // The token may have been lost with who was removed, and what earlier leaders failed at may be over with it.
        _patience.OnRemoval();
        if (_watch.IsSet) _watch.SetIfEarlier(now + PatienceHere);
    }

    /// <summary>Waits for the leader's next token, while anything may need it.</summary>
    public void Watch(Instant now)
    {
        if (!_region.IsActive)
        {
            _watch.Cancel();
            return;
        }
        TimeSpan patience = PatienceHere;
        if (_node.Probes.Here(BuggifySite.TakeoverEarly)) patience /= 8;
        _watch.Set(now + patience);
    }

    /// <summary>Waits for the end of the round that this member has begun.</summary>
    public void WatchOwnRound(Instant now) => _watch.SetIfEarlier(now + _patience.OfFirst);

    /// <summary>Waits for nothing.</summary>
    public void StopWatching() => _watch.Cancel();

    /// <summary>This member has led a round to its end.</summary>
    public void OnRoundEnded()
    {
        _patience.OnFinished();
        _watch.Cancel();
    }

    /// <summary>This member leads from now on, in place of a silent leader.</summary>
    public void TakeOver()
    {
        Leader = _region.Self;
        BeginTerm();
        _node.Counters.Takeovers++;
        _node.Probes.Hit(Mark.LeadTakenOver);
    }

    /// <summary>What this member leads next must win over what is left of a round that did not end.</summary>
    public void BeginEpoch()
    {
        if (Epoch < uint.MaxValue) Epoch++;
        _patience.OnUnfinished();
    }

    private TimeSpan PatienceHere => _patience.OfFirst * (_plan.RankOf(_region.Self) + 1);

    private bool IsRemoved(int member) => _region.View.Members[member].IsRemoved;

    private void BeginTerm()
    {
        Term++;
        Era++;
    }
}
