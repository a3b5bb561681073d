using QuickSilver.WideArea.Presence;

namespace QuickSilver.WideArea.Tests;

/// <summary>
/// Gateways that elect, in a group as the cluster gives it: views come to each in the server's order, messages in that
/// of their sender, and none before the view that it was sent in. All else is drawn by a seed. Who joins hears nothing
/// that was sent before.
/// </summary>
internal sealed class ElectionWorld(int seed)
{
    private readonly Random _random = new(seed);
    private readonly List<MemberId[]> _views = [];
    private readonly Dictionary<MemberId, Gateway> _gateways = [];
    private ulong _clock = 1;

    /// <summary>Members of the server's view.</summary>
    public IReadOnlyList<MemberId> Members => _views.Count == 0 ? [] : _views[^1];

    /// <summary>Members of the server's view that are active.</summary>
    public IReadOnlyList<MemberId> Active => [.. Members.Where(one => _gateways[one].Election.IsActive)];

    /// <summary>An id; smaller with a smaller place.</summary>
    public static MemberId IdOf(int place, ulong incarnation = 1) =>
        MemberId.Parse($"10.0.0.{place + 1}:15000/{incarnation}");

    public GatewayElection ElectionOf(MemberId id) => _gateways[id].Election;

    /// <summary>The server gives out a view with one more. One that was there before begins again.</summary>
    public void Join(MemberId id)
    {
        _clock += 1000;
        _gateways[id] = new Gateway(new GatewayElection(id, _clock, 0), _views.Count);
        _views.Add([.. Members.Where(one => one != id), id]);
    }

    /// <summary>The server gives out a view without one, which was killed, has left, or was evicted.</summary>
    public void Leave(MemberId id) => _views.Add([.. Members.Where(one => one != id)]);

    /// <summary>A step: a view or a message comes to one, or one tells its vote again.</summary>
    /// <returns>False when nothing was under way.</returns>
    public bool Step(bool repeats)
    {
        Gateway[] live = [.. Members.Select(one => _gateways[one])];
        if (live.Length == 0) return false;
        if (repeats && _random.Next(10) == 0) Tell(live[_random.Next(live.Length)]);
        foreach (Gateway one in live.OrderBy(_ => _random.Next()))
        {
            var choices = new List<Action>();
            if (one.View + 1 < _views.Count || !one.HasView) choices.Add(() => TakeView(one));
            foreach ((MemberId from, Queue<(int View, ElectionVote Vote)> queue) in one.Incoming)
            {
                // Not before the view in which it was sent.
                if (queue.TryPeek(out (int View, ElectionVote Vote) next) && one.HasView && next.View <= one.View)
                    choices.Add(() => TakeVote(one, from, queue.Dequeue().Vote));
            }
            if (choices.Count == 0) continue;
            choices[_random.Next(choices.Count)]();
            return true;
        }
        return false;
    }

    /// <summary>All that is under way comes, and all tell their votes as often as it takes.</summary>
    public void Settle(Action check)
    {
        for (int round = 0; round < 20; round++)
        {
            foreach (MemberId member in Members) Tell(_gateways[member]);
            while (Step(repeats: false)) check();
        }
    }

    private void TakeView(Gateway one)
    {
        // Views that nobody has read yet are told as one.
        if (one.HasView) one.View += 1 + _random.Next(_views.Count - one.View - 1);
        one.HasView = true;
        one.Election.OnView(_views[one.View]);
        Tell(one);
    }

    private void TakeVote(Gateway one, MemberId from, ElectionVote vote)
    {
        ElectionVote before = one.Election.Vote;
        one.Election.OnVote(from, vote);
        if (one.Election.Vote != before) Tell(one);
    }

    private void Tell(Gateway from)
    {
        if (!from.HasView) return;
        MemberId self = _gateways.First(one => one.Value == from).Key;
        foreach (MemberId member in _views[from.View])
        {
            if (member == self || !_gateways.TryGetValue(member, out Gateway? to)) continue;
            // One that began again in a later view hears nothing of an earlier one.
            if (to.Since > from.View) continue;
            if (!to.Incoming.TryGetValue(self, out Queue<(int, ElectionVote)>? queue))
                to.Incoming.Add(self, queue = new Queue<(int, ElectionVote)>());
            queue.Enqueue((from.View, from.Election.Vote));
        }
    }

    private sealed class Gateway(GatewayElection election, int since)
    {
        public GatewayElection Election { get; } = election;

        public int Since { get; } = since;

        public int View { get; set; } = since;

        public bool HasView { get; set; }

        public Dictionary<MemberId, Queue<(int View, ElectionVote Vote)>> Incoming { get; } = [];
    }
}
