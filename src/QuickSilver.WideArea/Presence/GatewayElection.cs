namespace QuickSilver.WideArea.Presence;

/// <summary>
/// Decides which gateway of a site is active. Two would forward each other's messages in a circle.
/// <para>
/// Idea: a gateway claims, and is active when every other member of its view votes for that claim. The cluster gives
/// views out in one order. So of two gateways the one that joined later has the other in its view, and needs its vote.
/// </para>
/// <para>
/// Rule: a vote is for one claim, by its number. Who votes for another gives its own claim up: it claims again only
/// with a new number, so votes for the old one count no more. A vote ends when that gateway leaves the view, or no
/// longer claims with that number. The active one votes for none but itself. Of several claims the smallest id wins,
/// and an active gateway wins over all.
/// </para>
/// <para>
/// Awkward cases: votes are states, told again and again, so a member that joins learns them. A gateway that ends and
/// begins again under the same id has higher numbers. One that was evicted may count itself active until it knows: no
/// member of the site hears it, and other sites follow the higher <see cref="ElectionVote.Node"/>.
/// </para>
/// Fed with the events of one group, in their order. One thread.
/// </summary>
internal sealed class GatewayElection
{
    private readonly Dictionary<MemberId, ElectionVote> _votes = [];
    private readonly HashSet<MemberId> _members = [];
    private readonly MemberId _self;
    private ulong _number;
    private bool _isActive;
    private bool _hasVote;

    /// <summary>Makes one of a gateway that claims.</summary>
    /// <param name="self">Its node.</param>
    /// <param name="number">Above the numbers of any life before at this node.</param>
    /// <param name="node">The highest number of a gateway's life known.</param>
    public GatewayElection(MemberId self, ulong number, ulong node)
    {
        _self = self;
        _number = number;
        Vote = new ElectionVote(self, number, false, node);
    }

    /// <summary>What is to be told of this gateway.</summary>
    public ElectionVote Vote { get; private set; }

    /// <summary>True when this gateway is the active one.</summary>
    public bool IsActive => _isActive;

    /// <summary>Another that says that it is active; null when none does.</summary>
    public MemberId? OtherActive
    {
        get
        {
            MemberId? active = null;
            foreach (MemberId member in _members)
            {
                if (_votes.TryGetValue(member, out ElectionVote vote) && vote.IsActive
                    && (active is null || member < active)) active = member;
            }
            return active;
        }
    }

    /// <summary>Other members of the view.</summary>
    public int Others => _members.Count;

    /// <summary>The view has changed.</summary>
    /// <param name="members">Those that are in it.</param>
    public void OnView(IReadOnlyCollection<MemberId> members)
    {
        _members.Clear();
        _members.UnionWith(members);
        // A view without this gateway is none to be active in.
        _hasVote = _members.Remove(_self);
        foreach (MemberId gone in _votes.Keys.Where(known => !_members.Contains(known)).ToArray()) _votes.Remove(gone);
        Decide();
    }

    /// <summary>Another member tells its vote. One that is not in the view is not heard.</summary>
    public void OnVote(MemberId from, in ElectionVote vote)
    {
        if (vote.Node > Vote.Node) Vote = Vote with { Node = vote.Node };
        if (!_members.Contains(from)) return;
        _votes[from] = vote;
        Decide();
    }

    /// <summary>The life that this gateway begins has a number.</summary>
    public void OnLife(ulong node)
    {
        if (node > Vote.Node) Vote = Vote with { Node = node };
    }

    private void Decide()
    {
        if (_isActive || !_hasVote) return;
        if (Vote.For == _self || !Stands(Vote.For, Vote.Number)) Choose();
        if (Vote.For != _self) return;
        foreach (MemberId member in _members)
        {
            if (!_votes.TryGetValue(member, out ElectionVote vote) || vote.For != _self || vote.Number != _number)
                return;
        }
        _isActive = true;
        Vote = Vote with { IsActive = true };
    }

    private void Choose()
    {
        MemberId best = _self;
        foreach (MemberId member in _members)
        {
            if (_votes.TryGetValue(member, out ElectionVote vote) && vote.For == member && member < best) best = member;
        }
        best = OtherActive ?? best;
        if (best == Vote.For && best == _self) return;
        Vote = best == _self
            ? Vote with { For = _self, Number = ++_number }
            : Vote with { For = best, Number = _votes[best].Number };
    }

    private bool Stands(MemberId member, ulong number) =>
        _votes.TryGetValue(member, out ElectionVote vote) && vote.For == member && vote.Number == number;
}
