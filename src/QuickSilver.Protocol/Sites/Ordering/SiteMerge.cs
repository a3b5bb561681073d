using System.Diagnostics;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>
/// One order of the messages of all sites, as one member of one site computes it.
/// <para>
/// Idea: a site's ring gives all its members one sequence of events: what members of the site send, and what its
/// gateway has put in of other sites. Each member runs this machine over that sequence, so all have the same state, and
/// no member of it is asked. The n-th local message of a view has number n, and a Lamport stamp. Entries are delivered
/// by stamp and site.
/// </para>
/// <para>
/// Rule: an entry is delivered once every other site of the view is known to send nothing before it: its stream has
/// come up to a stamp that is as high. A site that sends nothing tells its stamp. With a majority, more than half of
/// all sites are to have it. Safe messages are delivered once each site tells that it has them.
/// </para>
/// <para>
/// Awkward cases: records come again when a gateway takes over; numbers tell. A record behind a missing one is dropped,
/// and its gateway sends it again. A site whose members all went, or that is cut off, ends the view: sites agree on the
/// next one (<see cref="SiteAgreement"/>). What is left of the one before is delivered first, alike at all that were in
/// it together. Nobody stamps anything before all sites of a view have begun it.
/// </para>
/// <para>
/// Cost: a heap of what waits; each message is kept until all sites have it. Source: third paper, section 2 (ordered
/// groups); Lamport. Deviation: the paper orders by gateways, this by the ring of each site.
/// </para>
/// </summary>
internal sealed partial class SiteMerge
{
    private readonly PeerStream[] _peers;
    private readonly OwnStream _own = new();
    private readonly PendingEntries _pending = new();
    private readonly Queue<OrderedEntry> _ended = new();
    private readonly SiteAgreement _agreement;
    private readonly CutPolicy _policy;

    /// <summary>Makes one of a site that begins.</summary>
    /// <param name="site">Index of the site.</param>
    /// <param name="count">How many sites there are.</param>
    /// <param name="incarnation">Life of its order, above any that it had before.</param>
    /// <param name="policy">What it does in a cut.</param>
    public SiteMerge(int site, int count, ulong incarnation, CutPolicy policy = CutPolicy.Wait)
    {
        Debug.Assert(site >= 0 && site < count && incarnation > 0, "a site is one of several, and has a life");
        (Site, Incarnation, _policy) = (site, incarnation, policy);
        _peers = new PeerStream[count];
        for (int peer = 0; peer < count; peer++) _peers[peer] = new PeerStream(count);
        _agreement = new SiteAgreement(site, count, incarnation, policy);
        Settle(isAgain: false);
    }

    /// <summary>Index of the own site.</summary>
    public int Site { get; }

    /// <summary>How many sites there are.</summary>
    public int Count => _peers.Length;

    /// <summary>Life of the own site's order.</summary>
    public ulong Incarnation { get; }

    /// <summary>The highest stamp known here: later ones of this site are higher.</summary>
    public ulong Clock { get; private set; }

    /// <summary>True when messages are delivered once all sites have them (a choice of this member).</summary>
    public bool DeliversSafe { get; init; }

    /// <summary>The own entries.</summary>
    public OwnStream Own => _own;

    /// <summary>What waits for its turn.</summary>
    public PendingEntries Waiting => _pending;

    /// <summary>Records that had come before.</summary>
    public ulong Duplicates { get; private set; }

    /// <summary>Rises when what this site has of others changes.</summary>
    public ulong Version { get; private set; }

    /// <summary>Who takes part.</summary>
    public SiteAgreement Agreement => _agreement;

    /// <summary>True while the site is in a view, and takes entries of it.</summary>
    public bool IsInView => _agreement is { View: not null, Joined: null };

    /// <summary>Another site's entries, as they are known here.</summary>
    public PeerStream Peer(int site) => _peers[site];

    /// <summary>A member of this site has sent a message.</summary>
    public void OnLocal(OrderedContent content)
    {
        if (!_own.HasBegun)
        {
            _own.Wait(content);
            return;
        }
        Stamp(content);
        PassOwn();
    }

    /// <summary>The gateway of this site says which sites it reaches.</summary>
    public void OnReach(SiteSet reach)
    {
        _agreement.OnReach(reach);
        Settle(isAgain: false);
    }

    /// <summary>The gateway says that the next view has stood for long.</summary>
    public void OnStands() => Settle(isAgain: true);

    /// <summary>A record of another site was put in.</summary>
    /// <param name="from">Index of that site.</param>
    /// <param name="record">The record.</param>
    /// <param name="content">The message of an entry; null when it has none.</param>
    /// <returns>Why it is dropped, alike at all members; none when it counts.</returns>
    public RejectReason OnRecord(int from, OrderRecord record, OrderedContent? content)
    {
        if (from < 0 || from >= Count || from == Site) return RejectReason.UnknownSender;
        int of = record.Kind == OrderRecordKind.Forward ? record.Origin : from;
        if (of >= Count || of == Site) return RejectReason.UnknownSender;
        RejectReason reason = record.Kind switch
        {
            OrderRecordKind.State => OnState(from, record.State!),
            OrderRecordKind.Stamp => OnStamp(from, record),
            _ => OnEntry(of, record, content),
        };
        if (reason == RejectReason.Replayed) Duplicates++;
        if (reason != RejectReason.None) return reason;
        if (record.Kind == OrderRecordKind.State || _agreement.Joined is not null) Settle(isAgain: false);
        else if (IsInView) Advance();
        return reason;
    }

    /// <summary>Takes the next entry of the order, when its turn has come.</summary>
    public bool TryTake(out OrderedEntry? entry)
    {
        if (_ended.TryDequeue(out entry)) return true;
        entry = _pending.First;
        // What was sent before this member was there, and has no place yet, it does not deliver, nor what comes first.
        if (!IsInView || entry is null || _own.Unseen > 0 || WaitsFor(entry) >= 0) return false;
        _pending.Take();
        return true;
    }

    /// <summary>The site that the first entry waits for; negative when none waits for any. Before the view begins, a
    /// site that has not joined or begun it; the own one when something is missing here.</summary>
    public int WaitsFor()
    {
        if (!IsInView) return _agreement.SlowestToJoin();
        if (!_own.HasBegun) return _agreement.SlowestToBegin();
        return _pending.First is { } first ? WaitsFor(first) : -1;
    }

    /// <summary>What this site tells the others of its entries.</summary>
    public OrderRecord Tell() => new()
    {
        Kind = OrderRecordKind.Stamp,
        View = _agreement.View!.Id,
        Number = _own.Numbered,
        Stamp = Clock,
        Have = Have(),
    };

    /// <summary>What this site tells the others of itself.</summary>
    public OrderRecord TellState() => new()
    {
        Kind = OrderRecordKind.State,
        State = new SiteState
        {
            Life = Incarnation,
            Version = _agreement.Version,
            Policy = _policy,
            Reach = _agreement.Reach,
            View = _agreement.View,
            Joined = _agreement.Joined,
            IsReady = _agreement.IsReady,
            Clock = Clock,
            Accepted = _agreement.Accepted,
            Limits = _agreement.Limits,
            Have = Have(),
            Past = _agreement.Past,
        },
    };

    /// <summary>The last own entry that a site has.</summary>
    public ulong HadBy(int site) => _peers[site].Told(Site);

    /// <summary>The entries of a site that this one is to forward before the view ends: the first and the last.
    /// </summary>
    /// <returns>False when it has none to forward.</returns>
    public bool TryFindForwards(int site, out ulong first, out ulong last)
    {
        (first, last) = (1, 0);
        if (_agreement is not { Joined: not null, Ending.Limits: { } limits }) return false;
        SiteSet companions = _agreement.Companions();
        last = limits[site];
        ulong least = HaveOf(site);
        int holder = companions.Contains(site) ? site : -1;
        for (int other = 0; other < Count; other++)
        {
            if (!companions.Contains(other)) continue;
            ulong had = other == Site ? HaveOf(site) : _agreement.Told[other]!.Have[site];
            least = Math.Min(least, had);
            if (holder < 0 && had >= last) holder = other;
        }
        first = least + 1;
        return holder == Site && first <= last;
    }

    /// <summary>An entry of the present view that is kept here; null when it is not.</summary>
    public OrderedEntry? Find(int site, ulong number) => KeptOf(site).Find(number);

    /// <summary>A member gives an entry that this one lacks.</summary>
    /// <returns>False when it is none of the present view.</returns>
    public bool Give(OrderedEntry entry)
    {
        if (entry.View != _agreement.View?.Id || entry.Site >= Count || entry.Number > HaveOf(entry.Site)) return false;
        KeptOf(entry.Site).Add(entry);
        return true;
    }

    private KeptEntries KeptOf(int site) => site == Site ? _own.Kept : _peers[site].Kept;

    private ulong HaveOf(int site) => site == Site ? _own.Numbered : _peers[site].Have;

    private ulong[] Have()
    {
        var have = new ulong[Count];
        for (int site = 0; site < Count; site++) have[site] = HaveOf(site);
        return have;
    }

    private void Stamp(OrderedContent? content)
    {
        var entry = new OrderedEntry(Site, _agreement.View!.Id, _own.Numbered + 1, ++Clock, content);
        _own.Add(entry);
        if (content is not null)
        {
            _pending.Add(entry);
            return;
        }
        // It is not here, so nothing up to it is delivered here.
        _pending.Note(entry.Place);
        _pending.RaiseFloor(entry.Place);
    }

    private int WaitsFor(OrderedEntry entry)
    {
        for (int site = 0; site < Count; site++)
        {
            if (site == Site || !_agreement.View!.Sites.Contains(site)) continue;
            if (site != entry.Site && !HasPassed(site, entry.Place)) return site;
            if (DeliversSafe && site != entry.Site && _peers[site].Told(entry.Site) < entry.Number) return site;
        }
        return _policy == CutPolicy.Majority ? LacksMost(entry.Site, entry.Number) : -1;
    }

    // With a majority nothing is delivered that sites may leave out that go on without this one: more than half have
    // it. A site that does not; negative when enough have.
    private int LacksMost(int of, ulong number)
    {
        int holders = 0, lacks = -1;
        for (int site = 0; site < Count; site++)
        {
            bool isHeld = site == of || site == Site || _peers[site].Told(of) >= number;
            if (isHeld) holders++;
            else lacks = site;
        }
        return 2 * holders > Count ? -1 : lacks;
    }

    // Its later entries have stamps above the one that it has passed.
    private bool HasPassed(int site, OrderPlace place)
    {
        ulong passed = _peers[site].Passed;
        return passed >= place.Stamp || (passed + 1 == place.Stamp && site > place.Site);
    }
}
