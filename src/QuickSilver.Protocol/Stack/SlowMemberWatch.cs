using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Recovery.Regions;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Stack;

/// <summary>
/// Measures for how long each member has held this node's streams at their limits, and tells the membership server
/// when that is longer than the node waits for a slow member. Also tells which members are behind, and whether this
/// node itself is: the server removes nobody by the word of one node.
/// <para>
/// A member holds the node when two things are true in each heartbeat: nearly every round names it as behind, for
/// another cause than loss; and a stream to one of its views was kept back by window, rate or pending limit. A pause of
/// this node, and the removal of any member, begin all times again. So members are judged one after the other, and a
/// node that stood still itself accuses nobody.
/// </para>
/// Core thread only. A few comparisons a heartbeat while nobody is behind.
/// </summary>
/// <param name="rooms">The node's rooms.</param>
/// <param name="patience">How long the node waits for a slow member; infinite: for ever.</param>
/// <param name="heartbeat">The time between heartbeats.</param>
internal sealed class SlowMemberWatch(StackParts rooms, TimeSpan patience, TimeSpan heartbeat)
{
    private readonly SortedDictionary<ulong, Instant> _heldSince = [];
    private readonly HashSet<ulong> _holding = [];
    private readonly List<RegionView> _held = [];
    private Instant _observedAt;

    /// <summary>Adds what is to be told with this heartbeat.</summary>
    public void Observe(NodeObservations observed, Instant now)
    {
        rooms.Recoverer.ObserveSelf(observed, now);
        _held.Clear();
        bool isAnswered = rooms.Disseminator.TakeHeld(_held);
        bool isPaused = observed.IsLate || now - _observedAt > heartbeat * 3;
        Instant before = _observedAt;
        _observedAt = now;
        if (isPaused) _heldSince.Clear();
        if (_held.Count == 0) _heldSince.Clear();
        if (observed.IsLate) return;
        _holding.Clear();
        foreach (LaggingMember lag in rooms.Lags.Collect(now))
        {
            ulong key = lag.Member.Number.Key;
            if (!lag.HoldsUp || lag.Cause == LagCause.Losing || key == rooms.SelfKey) continue;
            TimeSpan heldFor = TimeSpan.Zero;
            if (lag.IsSteady && IsHeldIn(lag.Views))
            {
                _holding.Add(key);
                if (!_heldSince.TryGetValue(key, out Instant since))
                    _heldSince[key] = since = isPaused ? now : before;
                if (patience > TimeSpan.Zero && now - since >= patience) heldFor = now - since;
            }
            observed.Slow.Add(new SlowMember(key, lag.Packets, heldFor));
        }
        // Without feedback a round waits for a member that works on: nobody has been named since, nor cleared.
        foreach (ulong key in (ulong[])[.. _heldSince.Keys])
        {
            if (isAnswered && !_holding.Contains(key)) _heldSince.Remove(key);
        }
    }

    /// <summary>Members are gone: the others get their full time again.</summary>
    public void OnNodesRemoved() => _heldSince.Clear();

    private bool IsHeldIn(IReadOnlyList<RegionView> views)
    {
        foreach (RegionView view in views)
        {
            if (_held.Contains(view)) return true;
        }
        return false;
    }
}
