namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>How a view ends: which entries are delivered in it, alike at all sites that were in it and go on.</summary>
internal sealed partial class SiteAgreement
{
    /// <summary>Sites of the present view that go on with the own one, itself included.</summary>
    public SiteSet Companions()
    {
        SiteSet sites = default;
        for (int site = 0; site < Told.Length; site++)
        {
            if (View is not null && Joined!.Sites.Contains(site) && ViewOf(site)?.Id == View.Id)
                sites = sites.With(site);
        }
        return sites;
    }

    // Null until all sites have joined. What they tell of this does not change until they leave the view for another.
    private ViewEnding? FindEnding(OrderView next, ulong[] have)
    {
        for (int site = 0; site < Told.Length; site++)
        {
            if (site == _site || !next.Sites.Contains(site)) continue;
            if (Told[site] is not { } told || told.Life != next.Lives[site] || told.Joined?.Id != next.Id) return null;
        }
        OrderView? last = LastOf(next);
        if (_policy == CutPolicy.Majority && !IsEnough(last, next)) return null;
        if (last is null) return new ViewEnding(null, 0, Past, SiteSet.Of(_site), IsBehind: false);
        ulong[] lastLimits = LimitsOf(last, next, have);
        StreamEnd[] past = PastOf(FirstIn(last, next));
        ulong had = View is null ? 0 : past[_site].View == View.Id ? past[_site].Number
            : Accepted.IsNone ? Had : Limits[_site];
        var nextPast = new StreamEnd[Told.Length];
        for (int site = 0; site < Told.Length; site++)
            nextPast[site] = last.Sites.Contains(site) ? new StreamEnd(last.Id, lastLimits[site]) : past[site];
        SiteSet goOn = GoOnFrom(last, next);
        bool goesOn = goOn.Contains(_site);
        ulong[]? limits = View is null || (_policy == CutPolicy.Majority && !goesOn)
            ? null : LimitsOf(View, next, have);
        SiteSet together = _policy != CutPolicy.Majority ? Companions().With(_site)
            : goesOn ? goOn : SiteSet.Of(_site);
        bool isBehind = _policy == CutPolicy.Majority ? !goesOn : HasOthers(next, together);
        return new ViewEnding(limits, had, nextPast, together, isBehind);
    }

    // The latest view that a site of the next one is in.
    private OrderView? LastOf(OrderView next)
    {
        OrderView? last = null;
        for (int site = 0; site < Told.Length; site++)
        {
            if (next.Sites.Contains(site) && ViewOf(site) is { } view && (last is null || view.Id > last.Id))
                last = view;
        }
        return last;
    }

    // True when more than half of all sites go on from the last view, or all sites are there.
    private bool IsEnough(OrderView? last, OrderView next) =>
        next.Sites == All || (last is not null && 2 * GoOnFrom(last, next).Count > Told.Length);

    private bool HasOthers(OrderView next, SiteSet together)
    {
        for (int site = 0; site < Told.Length; site++)
        {
            if (next.Sites.Contains(site) && !together.Contains(site) && ViewOf(site) is not null) return true;
        }
        return false;
    }

    // Sites that are in the last view, or have accepted it and so lack nothing of it: none of its entries are there.
    private SiteSet GoOnFrom(OrderView last, OrderView next)
    {
        SiteSet sites = default;
        for (int site = 0; site < Told.Length; site++)
        {
            if (!next.Sites.Contains(site)) continue;
            bool isIn = ViewOf(site)?.Id == last.Id;
            bool hasAccepted = last.Has(site, next.Lives[site]) && !AcceptedOf(site).IsNone;
            if (isIn || hasAccepted) sites = sites.With(site);
        }
        return sites;
    }

    private ulong[] LimitsOf(OrderView view, OrderView next, ulong[] have)
    {
        var most = new ulong[Told.Length];
        OrderViewId accepted = default;
        ulong[]? limits = null;
        for (int site = 0; site < Told.Length; site++)
        {
            if (!next.Sites.Contains(site) || ViewOf(site)?.Id != view.Id) continue;
            ulong[] of = site == _site ? have : Told[site]!.Have;
            for (int other = 0; other < most.Length; other++) most[other] = Math.Max(most[other], of[other]);
            if (_policy != CutPolicy.Majority || AcceptedOf(site) <= accepted) continue;
            accepted = AcceptedOf(site);
            limits = site == _site ? Limits : Told[site]!.Limits;
        }
        return limits ?? most;
    }

    private int FirstIn(OrderView view, OrderView next)
    {
        int site = 0;
        while (!next.Sites.Contains(site) || ViewOf(site)?.Id != view.Id) site++;
        return site;
    }

    private OrderViewId AcceptedOf(int site) => site == _site ? Accepted : Told[site]!.Accepted;

    private StreamEnd[] PastOf(int site) => site == _site ? Past : Told[site]!.Past;
}
