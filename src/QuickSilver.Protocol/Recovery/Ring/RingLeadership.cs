using System.Diagnostics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Recovery.Reception;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Ring;

/// <summary>
/// The leader of one ring, as this member knows it, and how long this member waits for a silent leader.
/// <para>
/// Idea: the lowest member that is not removed leads. While data is unstable all others wait for the token, longer for
/// each rank. The member whose wait ends first takes the lead in the next epoch. Of two leaders the one with the higher
/// epoch wins. In one epoch the lower rank wins, unless it is removed.
/// </para>
/// <para>
/// Results of rounds that belong to a <see cref="Term"/> hold while the same member leads. Those of an
/// <see cref="Era"/> hold only until another removal becomes known as well. Each member counts both for itself and
/// never sends them. Cost: O(1), O(members) to find a rank.
/// </para>
/// </summary>
internal sealed class RingLeadership
{
    /// <summary>Limit on the epochs by which a token may be ahead of the one known here.</summary>
    public const uint MostEpochs = 64;

    /// <summary>Limit on the rounds by which a token may be ahead of the last one met here.</summary>
    public const ulong MostRounds = 1 << 20;

    private const int PatiencesToBelieve = 8;

    private readonly RecoveryContext _node;
    private readonly RegionState _region;
    private readonly RingPlan _plan;
    private readonly LeaderTimeout _patience;
    private readonly Alarm _watch;
    private Instant _beyondSince;

    /// <summary>Begins in epoch 0, led by the lowest live member.</summary>
    /// <param name="node">The recovery of this node.</param>
    /// <param name="region">The recovery of the view.</param>
    /// <param name="plan">Ranks the members.</param>
    /// <param name="patienceEnded">Called when no token has come, or this member's own round has not ended, for too
    /// long.</param>
    public RingLeadership(RecoveryContext node, RegionState region, RingPlan plan, Action<Instant> patienceEnded)
    {
        _node = node;
        _region = region;
        _plan = plan;
        _patience = new LeaderTimeout(node.Settings, node.Counters);
        _watch = new Alarm(node.Alarms, patienceEnded);
        Leader = plan.FirstLive();
    }

    /// <summary>The member that leads.</summary>
    public int Leader
    {
        get => _region.Ring.Leader;
        private set => _region.Ring.Leader = value;
    }

    /// <summary>Rises with each takeover, and with each round that is started again.</summary>
    public uint Epoch { get; private set; }

    /// <summary>Number of times that the lead changed to or from this member, or between others.</summary>
    public int Term => _region.Ring.Term;

    /// <summary>Counts terms, and removals that became known in them.</summary>
    public int Era { get; private set; } = 1;

    /// <summary>True when this member leads.</summary>
    public bool IsHere => _region.Ring.IsLeader;

    /// <summary>True while this member waits for a token, or for the end of a round.</summary>
    public bool IsWatching => _watch.IsSet;

    /// <summary>The waiting time of the member that is first in line.</summary>
    public TimeSpan PatienceOfFirst => _patience.OfFirst;

    /// <summary>True for a hop of the leader known here, in the epoch known here.</summary>
    public bool IsOf(in TokenHop hop) => hop.Epoch == Epoch && hop.Leader == Leader;

    /// <summary>
    /// True when the leader of a hop replaces the different one known here. A removed leader's rank does not count.
    /// Otherwise the rest of its last round would be accepted a second time, once its successor, of a higher rank, is
    /// known.
    /// </summary>
    public bool YieldsTo(in TokenHop hop)
    {
        if (hop.Epoch != Epoch) return hop.Epoch > Epoch;
        return IsRemoved(Leader) || (hop.Leader < Leader && !IsRemoved(hop.Leader));
    }

    /// <summary>
    /// False for a token that is further ahead than a ring gets while a member is cut off. If one such token were
    /// believed, all others would count as old. A member that was cut off for very long believes it in the end: when
    /// data is unstable, and no credible token has come for eight times the usual timeout.
    /// </summary>
    /// <param name="hop">The hop that brought the token.</param>
    /// <param name="round">The last round met here.</param>
    /// <param name="now">The time of arrival.</param>
    public bool Reaches(in TokenHop hop, ulong round, Instant now)
    {
        bool isNear = (hop.Epoch <= Epoch || hop.Epoch - Epoch <= MostEpochs)
            && (hop.Round <= round || hop.Round - round <= MostRounds);
        if (isNear) return true;
        if (_beyondSince == Instant.Zero || !_region.IsActive) _beyondSince = now;
        return now - _beyondSince >= _patience.OfFirst * PatiencesToBelieve;
    }

    /// <summary>
    /// A token has come that is newer than all before. It shows how long rounds take, as seen from here, and whether
    /// they end.
    /// </summary>
    /// <param name="hop">The hop that brought the token.</param>
    /// <param name="isNextRound">False when its round was met before.</param>
    /// <param name="now">The time of arrival.</param>
    public void Follow(in TokenHop hop, bool isNextRound, Instant now)
    {
        Debug.Assert(hop.Epoch >= Epoch, "epochs rise");
        Debug.Assert(IsOf(hop) || YieldsTo(hop), "the hop's leader is the one known, or replaces it");
        _beyondSince = Instant.Zero;
        if (!IsOf(hop)) _patience.OnNewLeader(now);
        else if (isNextRound) _patience.OnNextRound(_watch.IsSet, now);
        if (hop.Leader != Leader) BeginTerm();
        Epoch = hop.Epoch;
        Leader = hop.Leader;
    }

    /// <summary>Members may be gone from the cluster. If the leader is, the lowest remaining member leads.</summary>
    public void OnNodesRemoved()
    {
        if (!IsRemoved(Leader)) return;
        Leader = _plan.FirstLive();
        _node.Probes.Reached("the leader of a ring is removed");
        BeginTerm();
    }

    /// <summary>A removal has become known.</summary>
    public void OnRemovalLearned(Instant now)
    {
        Era++;
        OnNodesRemoved();
        // The token may have been lost with the removed member, and the cause of earlier failures may be gone with it.
        _patience.OnRemoval();
        if (_watch.IsSet) _watch.SetIfEarlier(now + PatienceHere);
    }

    /// <summary>Waits for the leader's next token, while any stream may need it.</summary>
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
    public void WatchOwnRound(Instant now)
    {
        Debug.Assert(IsHere, "the round is this leader's own");
        _watch.SetIfEarlier(now + _patience.OfFirst);
    }

    /// <summary>Stops waiting.</summary>
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
        Debug.Assert(!IsHere, "who leads takes nothing over");
        Leader = _region.Self;
        BeginTerm();
        _node.Counters.Takeovers++;
    }

    /// <summary>
    /// Begins an epoch in which this member's next round wins over the rest of a round that did not end.
    /// </summary>
    public void BeginEpoch()
    {
        Debug.Assert(IsHere, "the leader alone begins epochs");
        if (Epoch < uint.MaxValue) Epoch++;
        _patience.OnUnfinished();
    }

    private TimeSpan PatienceHere => _patience.OfFirst * (_plan.RankOf(_region.Self) + 1);

    private bool IsRemoved(int member) => _region.View.Members[member].IsRemoved;

    private void BeginTerm()
    {
        _region.Ring.Term++;
        Era++;
    }
}
