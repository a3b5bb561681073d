using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>What comes of other sites, and how one view of the order follows another.</summary>
internal sealed partial class SiteMerge
{
    private RejectReason OnEntry(int site, OrderRecord record, OrderedContent? content)
    {
        if (_agreement.View is not { } view || record.View > view.Id) return RejectReason.UnknownView;
        if (record.View < view.Id) return RejectReason.Replayed;
        if (!view.Sites.Contains(site)) return RejectReason.UnknownSender;
        PeerStream peer = _peers[site];
        if (record.Number <= peer.Have) return RejectReason.Replayed;
        // Who has joined the next view takes what others have of this one, and no more.
        bool isOpen = _agreement.Joined is null
            || (_agreement.Ending?.Limits is { } limits && record.Number <= limits[site]);
        if (!isOpen) return RejectReason.UnknownView;
        if (record.Number > peer.Have + 1) return RejectReason.BeyondWindow;
        if (content is null || record.Stamp <= peer.Passed) return RejectReason.Malformed;
        var entry = new OrderedEntry(site, view.Id, record.Number, record.Stamp, content);
        peer.Take(entry);
        _pending.Add(entry);
        Clock = Math.Max(Clock, record.Stamp);
        Version++;
        if (_agreement.Joined is not null) _agreement.Touch();
        return RejectReason.None;
    }

    private RejectReason OnStamp(int site, OrderRecord record)
    {
        if (record.Have.Count != Count) return RejectReason.Malformed;
        if (_agreement.View is not { } view || record.View > view.Id) return RejectReason.UnknownView;
        if (record.View < view.Id) return RejectReason.Replayed;
        if (!view.Sites.Contains(site)) return RejectReason.UnknownSender;
        PeerStream peer = _peers[site];
        peer.OnTold(record.Have);
        if (_agreement.Joined is not null) return RejectReason.None;
        if (record.Number == peer.Have && record.Stamp > peer.Passed) peer.Passed = record.Stamp;
        Clock = Math.Max(Clock, record.Stamp);
        return RejectReason.None;
    }

    private RejectReason OnState(int site, SiteState state)
    {
        SiteSet others = (state.View?.Sites ?? default) | (state.Joined?.Sites ?? default) | state.Reach;
        if (state.Have.Length != Count || state.Policy != _policy || !others.Except(_agreement.All).IsEmpty)
            return RejectReason.Malformed;
        if (!_agreement.Take(site, state)) return RejectReason.Replayed;
        if (state.View is { } view && view.Id == _agreement.View?.Id && view.Has(site, state.Life))
            _peers[site].OnTold(state.Have);
        return RejectReason.None;
    }

    private void Settle(bool isAgain)
    {
        for (bool hasChanged = true; hasChanged; isAgain = false)
        {
            hasChanged = _agreement.TryJoin(isAgain);
            if (hasChanged) _own.HasBegun = false;
            if (_agreement.Joined is null) break;
            ulong[] have = Have();
            hasChanged |= _agreement.TryEnd(have);
            hasChanged |= _agreement.TryBeReady(have);
            if (_agreement.FindBegun(Clock) is not { } next) continue;
            Begin(next);
            hasChanged = true;
        }
        if (!IsInView) return;
        if (!_own.HasBegun && _agreement.SlowestToBegin() < 0)
        {
            _own.HasBegun = true;
            while (_own.TryTakeWaiting(out OrderedContent? content)) Stamp(content);
        }
        Advance();
    }

    // What is left of the view is delivered, then the next one begins above all stamps.
    private void Begin(OrderView view)
    {
        ViewEnding ending = _agreement.Ending!;
        foreach (OrderedEntry entry in _pending.TakeAll())
        {
            if (ending.Limits is { } limits && entry.Number <= limits[entry.Site]) _ended.Enqueue(entry);
        }
        // Own ones that nobody delivers are sent again.
        _own.BeginAnew(Math.Max(_own.Passed, ending.Limits?[Site] ?? ending.Had));
        Clock = view.Base + 1;
        foreach (PeerStream peer in _peers) peer.BeginAnew(Clock);
        _agreement.Begin(view);
        var change = new OrderedEntry(view.Sites.First, view.Id, 0, Clock, null)
        {
            Change = new ViewChange(view.Sites, ending.Together, ending.IsBehind),
        };
        _pending.Note(change.Place);
        if (change.Place > _pending.Floor && _own.Unseen == 0) _ended.Enqueue(change);
        Version++;
    }

    private void Advance()
    {
        PassOwn();
        for (int site = 0; site < Count; site++)
        {
            ulong had = HaveOf(site);
            for (int other = 0; other < Count; other++)
            {
                if (other == Site || other == site || !_agreement.View!.Sites.Contains(other)) continue;
                had = Math.Min(had, _peers[other].Told(site));
            }
            KeptOf(site).Release(had);
        }
    }

    // Counts own entries whose turn has come, for members that deliver at once.
    private void PassOwn()
    {
        while (_own.TryPeekStamp(out ulong stamp))
        {
            for (int site = 0; site < Count; site++)
            {
                if (site == Site || !_agreement.View!.Sites.Contains(site)) continue;
                if (!HasPassed(site, new OrderPlace(stamp, Site))) return;
            }
            if (_policy == CutPolicy.Majority && LacksMost(Site, _own.Passed + 1) >= 0) return;
            _own.Pass();
        }
    }
}
