using System.Diagnostics;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>
/// One order of the messages of all sites, as one member of one site computes it.
/// <para>
/// Idea: a site's ring gives all its members one sequence of events: what members of the site send, and what its
/// gateway has put in of other sites. Each member runs this machine over that sequence, so all have the same state, and
/// no member of it is asked. The n-th local message has number n, and a Lamport stamp. Entries are delivered by stamp
/// and site.
/// </para>
/// <para>
/// Rule: an entry is delivered once every other site is known to send nothing before it: its stream has come up to a
/// stamp that is as high. A site that sends nothing tells its stamp. It delivers safe messages once each site tells
/// that it has them.
/// </para>
/// <para>
/// Awkward cases: records come again when a gateway takes over; numbers tell. A record behind a missing one is dropped,
/// and its gateway sends it again. A site whose members all went begins a new life, under a higher incarnation. The
/// others take no more of the old one, tell what they have, and forward what some lack. Then they open the new one. It
/// stamps nothing before all have. So its first stamp is above all that they have passed, and they have the same of its
/// old life.
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
    private readonly LifeAgreement _lives;

    /// <summary>Makes one of a site that begins.</summary>
    /// <param name="site">Index of the site.</param>
    /// <param name="count">How many sites there are.</param>
    /// <param name="incarnation">Life of its order, above any that it had before.</param>
    public SiteMerge(int site, int count, ulong incarnation)
    {
        Debug.Assert(site >= 0 && site < count && incarnation > 0, "a site is one of several, and has a life");
        Site = site;
        Incarnation = incarnation;
        _peers = new PeerStream[count];
        for (int peer = 0; peer < count; peer++) _peers[peer] = new PeerStream(count);
        _lives = new LifeAgreement(site, _peers);
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

    /// <summary>Another site, as it is known here.</summary>
    public PeerStream Peer(int site) => _peers[site];

    /// <summary>A member of this site has sent a message.</summary>
    public void OnLocal(OrderedContent content)
    {
        if (_own.HasBegun) Stamp(content);
        else _own.Wait(content);
    }

    /// <summary>A record of another site was put in.</summary>
    /// <param name="from">Index of that site.</param>
    /// <param name="record">The record.</param>
    /// <param name="content">The message of an entry; null when it has none.</param>
    /// <returns>Why it is dropped, alike at all members; none when it counts.</returns>
    public RejectReason OnRecord(int from, OrderRecord record, OrderedContent? content)
    {
        if (from < 0 || from >= Count || from == Site) return RejectReason.UnknownSender;
        int of = record.Kind == OrderRecordKind.Forward ? record.Origin : from;
        if (of >= Count || of == Site || (record.Kind == OrderRecordKind.Forward && of == from))
            return RejectReason.UnknownSender;
        RejectReason reason = record.Kind == OrderRecordKind.Stamp
            ? OnStamp(_peers[from], record)
            : OnEntry(of, record, content);
        if (reason == RejectReason.Replayed) Duplicates++;
        if (reason == RejectReason.None) Settle();
        return reason;
    }

    /// <summary>Takes the next entry of the order, when its turn has come.</summary>
    public bool TryTake(out OrderedEntry? entry)
    {
        entry = _pending.First;
        if (!_own.HasBegun || entry is null || WaitsFor(entry) >= 0) return false;
        _pending.Take();
        return true;
    }

    /// <summary>The site that the first entry waits for; negative when none waits for any. Before the own site begins,
    /// the site that it waits for to begin.</summary>
    public int WaitsFor()
    {
        if (!_own.HasBegun) return SlowestToBegin();
        return _pending.First is { } first ? WaitsFor(first) : -1;
    }

    /// <summary>What this site tells the others.</summary>
    public OrderRecord Tell() => new()
    {
        Kind = OrderRecordKind.Stamp,
        Incarnation = Incarnation,
        Number = _own.Numbered,
        Stamp = Clock,
        Reports = [.. _peers.Select(static peer => peer.Report)],
    };

    /// <summary>The last own entry that a site has.</summary>
    public ulong HadBy(int site)
    {
        StreamReport report = _peers[site].Told(Site);
        return report.Incarnation == Incarnation ? report.Have : 0;
    }

    /// <summary>Entries of a third site whose life ends, which this site is to forward; none when it is not.</summary>
    public IReadOnlyList<OrderedEntry> ToForward() => _lives.ToForward();

    private RejectReason OnEntry(int site, OrderRecord record, OrderedContent? content)
    {
        PeerStream peer = _peers[site];
        bool isForwarded = record.Kind == OrderRecordKind.Forward;
        if (record.Incarnation < peer.Incarnation) return RejectReason.Replayed;
        // Of a life that is not open, or of one that takes no more from its own gateway.
        if (record.Incarnation > peer.Incarnation || peer.Next != 0 != isForwarded) return RejectReason.UnknownView;
        if (record.Number <= peer.Have) return RejectReason.Replayed;
        if (record.Number > peer.Have + 1) return RejectReason.BeyondWindow;
        if (record.Stamp <= peer.Passed) return RejectReason.Malformed;
        var entry = new OrderedEntry(site, record.Incarnation, record.Number, record.Stamp, content);
        peer.Take(entry);
        _pending.Add(entry);
        Clock = Math.Max(Clock, record.Stamp);
        Version++;
        return RejectReason.None;
    }

    private RejectReason OnStamp(PeerStream peer, OrderRecord record)
    {
        if (record.Reports.Count != Count) return RejectReason.Malformed;
        ulong newest = Math.Max(peer.Incarnation, peer.Next);
        if (record.Incarnation < newest) return RejectReason.Replayed;
        if (record.Incarnation > newest)
        {
            Version++;
            // A site that has not begun has delivered nothing, and needs nothing of the life before.
            if (peer.Incarnation > 0 && _own.HasBegun) peer.Next = record.Incarnation;
            else peer.Open(record.Incarnation, record.Number, record.Stamp);
        }
        bool isNext = record.Number == peer.Have || (!_own.HasBegun && record.Number > peer.Have);
        if (record.Incarnation == peer.Incarnation && peer.Next == 0 && isNext && record.Stamp >= peer.Passed)
        {
            if (record.Number > peer.Have)
            {
                Version++;
                peer.Open(peer.Incarnation, record.Number, record.Stamp);
            }
            peer.Passed = record.Stamp;
        }
        peer.Take(record.Incarnation, record.Reports);
        Clock = Math.Max(Clock, record.Stamp);
        return RejectReason.None;
    }

    private void Stamp(OrderedContent? content)
    {
        _own.Numbered++;
        var entry = new OrderedEntry(Site, Incarnation, _own.Numbered, ++Clock, content);
        _own.Keep(entry);
        _pending.Add(entry);
    }

    private void Settle()
    {
        for (int site = 0; site < Count; site++)
        {
            if (site == Site) continue;
            if (_lives.IsAgreed(site))
            {
                _peers[site].Switch();
                Version++;
            }
            _peers[site].Kept.Release(_lives.HadByAll(site));
        }
        if (!_own.HasBegun && SlowestToBegin() < 0) Begin();
        if (!_own.HasBegun) return;
        ulong had = _own.Numbered;
        for (int site = 0; site < Count; site++)
        {
            if (site != Site) had = Math.Min(had, HadBy(site));
        }
        _own.Kept.Release(had);
    }

    // Nothing of what others have passed is delivered in this life.
    private void Begin()
    {
        _own.HasBegun = true;
        _pending.RaiseFloor(new OrderPlace(Clock, SiteSet.MostSites));
        Stamp(null);
        if (_own.Unseen > 0)
        {
            _own.Numbered += (ulong)_own.Unseen;
            Clock += (ulong)_own.Unseen;
            _own.Unseen = 0;
            _pending.RaiseFloor(new OrderPlace(Clock, SiteSet.MostSites));
        }
        while (_own.TryTakeWaiting(out OrderedContent? content)) Stamp(content);
    }

    private int SlowestToBegin()
    {
        for (int site = 0; site < Count; site++)
        {
            if (site == Site) continue;
            StreamReport told = _peers[site].Told(Site);
            if (_peers[site].Incarnation == 0 || told.Incarnation != Incarnation || told.Next != 0) return site;
        }
        return _lives.SlowestToOpen();
    }

    private int WaitsFor(OrderedEntry entry)
    {
        for (int site = 0; site < Count; site++)
        {
            if (site == Site) continue;
            if (site != entry.Site && !HasPassed(site, entry)) return site;
            if (DeliversSafe && !IsHeldBy(site, entry)) return site;
        }
        return -1;
    }

    // Its later entries have stamps above the one that it has passed.
    private bool HasPassed(int site, OrderedEntry entry)
    {
        ulong passed = _peers[site].Passed;
        return passed >= entry.Stamp || (passed + 1 == entry.Stamp && site > entry.Site);
    }

    private bool IsHeldBy(int site, OrderedEntry entry)
    {
        if (site == entry.Site) return true;
        StreamReport told = _peers[site].Told(entry.Site);
        return told.Incarnation == entry.Incarnation ? told.Have >= entry.Number : told.Incarnation > entry.Incarnation;
    }
}
