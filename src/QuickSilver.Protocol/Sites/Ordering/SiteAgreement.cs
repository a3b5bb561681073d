using System.Diagnostics;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>
/// Who takes part in the order, as one site agrees with others.
/// <para>
/// Idea: sites that reach each other join a view that the lowest of them proposes. Who has joined takes no more of the
/// present view, and tells what it has. When all have joined, each knows how the present view ends, fetches what it
/// lacks, and is ready. When all are ready the new view begins, above all stamps. Who sees that another has begun it
/// begins as well.
/// </para>
/// <para>
/// Rule with <see cref="CutPolicy.Majority"/>: a view has more than half of all sites, of those that go on from the
/// latest view, or it has all. Any two such views share a site that has what the others deliver. A site that is ready
/// has accepted how its view ends. Later views end it so too, by the latest that was accepted, since some site may have
/// gone on by it. A site that was left out has other entries: it drops what it has not delivered, and sends its own
/// again.
/// </para>
/// <para>
/// Awkward cases: a view whose sites change before all are ready is left for a later one. A site whose members all went
/// remembers nothing, has another life, and counts for no half until it was in a view again.
/// </para>
/// Source: third paper (ordered groups) has no such rule; extended virtual synchrony (Moser, Amir), and for the
/// majority Paxos (Lamport).
/// </summary>
internal sealed partial class SiteAgreement
{
    private readonly int _site;
    private readonly ulong _life;
    private readonly CutPolicy _policy;

    /// <summary>Makes one of a site that is in no view.</summary>
    public SiteAgreement(int site, int count, ulong life, CutPolicy policy)
    {
        (_site, _life, _policy) = (site, life, policy);
        Told = new SiteState?[count];
        Past = new StreamEnd[count];
        for (int other = 0; other < count; other++) All = All.With(other);
        Reach = All;
    }

    /// <summary>All sites.</summary>
    public SiteSet All { get; }

    /// <summary>Sites that the own one reaches, and itself; all until its gateway says otherwise.</summary>
    public SiteSet Reach { get; private set; }

    /// <summary>The present view; null before the first.</summary>
    public OrderView? View { get; private set; }

    /// <summary>The view that was joined and has not begun.</summary>
    public OrderView? Joined { get; private set; }

    /// <summary>How the present view ends, once that is known.</summary>
    public ViewEnding? Ending { get; private set; }

    /// <summary>True when all that is to be delivered before the next view is here.</summary>
    public bool IsReady { get; private set; }

    /// <summary>The last view for which it was accepted how the present one ends.</summary>
    public OrderViewId Accepted { get; private set; }

    /// <summary>How.</summary>
    public ulong[] Limits { get; private set; } = [];

    /// <summary>Own entries that sites that went on have delivered, as far as was known.</summary>
    public ulong Had { get; private set; }

    /// <summary>How far the entries of each site were delivered, in the last view that it was in.</summary>
    public StreamEnd[] Past { get; private set; }

    /// <summary>What other sites have told.</summary>
    public SiteState?[] Told { get; }

    /// <summary>Rises with each change that is to be told.</summary>
    public ulong Version { get; private set; } = 1;

    /// <summary>What is told changes.</summary>
    public void Touch() => Version++;

    /// <summary>The gateway says which sites it reaches.</summary>
    public void OnReach(SiteSet reach)
    {
        reach = (reach & All).With(_site);
        if (reach == Reach) return;
        Reach = reach;
        Version++;
    }

    /// <summary>A site tells its state.</summary>
    /// <returns>False when a newer one is known.</returns>
    public bool Take(int site, SiteState state)
    {
        if (Told[site] is { } known && (state.Life, state.Version).CompareTo((known.Life, known.Version)) <= 0)
            return false;
        // It has begun, and knows nothing of this site: all is told again.
        if (Told[site]?.Life != state.Life) Version++;
        Told[site] = state;
        return true;
    }

    /// <summary>Joins the latest view that another site has joined, or proposes one where that is due.</summary>
    /// <param name="isAgain">True when the one that was joined stands: another is proposed.</param>
    /// <returns>True when a view was joined.</returns>
    public bool TryJoin(bool isAgain)
    {
        OrderView? best = null;
        foreach (SiteState? told in Told)
        {
            if (told?.Joined is not { } joined || !joined.Has(_site, _life) || !IsAllowed(joined.Sites)) continue;
            if (joined.Id > Newest && (best is null || joined.Id > best.Id)) best = joined;
        }
        if (best is null && ToPropose(isAgain) is { } own) best = own;
        if (best is null) return false;
        (Joined, Ending, IsReady) = (best, null, false);
        Version++;
        return true;
    }

    /// <summary>Finds how the present view ends, once all have told.</summary>
    /// <param name="have">What is here of each site.</param>
    /// <returns>True when it was found now.</returns>
    public bool TryEnd(ulong[] have)
    {
        if (Joined is null || Ending is not null) return false;
        Ending = FindEnding(Joined, have);
        return Ending is not null;
    }

    /// <summary>All that is to be delivered before the next view is here, or not.</summary>
    /// <returns>True when the site became ready now.</returns>
    public bool TryBeReady(ulong[] have)
    {
        if (Ending is null || IsReady) return false;
        for (int site = 0; site < have.Length; site++)
        {
            if (Ending.Limits is { } limits && have[site] < limits[site]) return false;
        }
        IsReady = true;
        Version++;
        if (_policy != CutPolicy.Majority) return true;
        Had = Ending.Had;
        (Accepted, Limits) = Ending.Limits is null ? (default, []) : (Joined!.Id, Ending.Limits);
        return true;
    }

    /// <summary>The next view, with its base, once all sites of it are ready or one has begun it.</summary>
    public OrderView? FindBegun(ulong clock)
    {
        if (!IsReady || Joined is not { } next) return null;
        bool isReady = true;
        for (int site = 0; site < Told.Length; site++)
        {
            if (site == _site || !next.Sites.Contains(site)) continue;
            if (Told[site] is not { } told || told.Life != next.Lives[site]) isReady = false;
            else if (told.View?.Id == next.Id) return told.View;
            else if (told.Joined?.Id == next.Id && told.IsReady) clock = Math.Max(clock, told.Clock);
            else isReady = false;
        }
        return isReady ? next with { Base = clock } : null;
    }

    /// <summary>The next view begins.</summary>
    public void Begin(OrderView view)
    {
        Debug.Assert(Ending is not null && view.Id == Joined?.Id, "it was joined, and the one before has ended");
        Past = Ending.Past;
        (View, Joined, Ending, IsReady) = (view, null, null, false);
        (Accepted, Limits, Had) = (default, [], 0);
        Version++;
    }

    /// <summary>A site of the present view that has not begun it; negative when all have.</summary>
    public int SlowestToBegin()
    {
        for (int site = 0; site < Told.Length; site++)
        {
            if (site != _site && View!.Sites.Contains(site) && Told[site]?.View?.Id != View.Id) return site;
        }
        return -1;
    }

    /// <summary>A site that the next view waits for; the own one when it waits for a proposal or what is missing.
    /// </summary>
    public int SlowestToJoin()
    {
        SiteSet wanted = Joined?.Sites ?? Reach;
        for (int site = 0; site < Told.Length; site++)
        {
            if (site == _site || !wanted.Contains(site)) continue;
            if (Told[site] is not { } told || !told.Reach.Contains(_site)) return site;
            if (Joined is { } next && (told.Joined?.Id != next.Id || !told.IsReady)) return site;
        }
        SiteSet rest = All.Except(wanted);
        return rest.IsEmpty || IsAllowed(wanted) ? _site : rest.First;
    }

    private OrderViewId Newest => Joined?.Id ?? View?.Id ?? default;

    private bool IsAllowed(SiteSet sites) => _policy switch
    {
        CutPolicy.Wait => sites == All,
        CutPolicy.Majority => 2 * sites.Count > Told.Length,
        _ => true,
    };

    private OrderView? ToPropose(bool isAgain)
    {
        SiteSet wanted = SiteSet.Of(_site);
        var lives = new ulong[Told.Length];
        lives[_site] = _life;
        ulong round = Math.Max(View?.Id.Round ?? 0, Joined?.Id.Round ?? 0);
        for (int site = 0; site < Told.Length; site++)
        {
            if (Told[site] is { } told)
                round = Math.Max(round, Math.Max(told.View?.Id.Round ?? 0, told.Joined?.Id.Round ?? 0));
            if (site == _site || !Reach.Contains(site)) continue;
            // Who is reached and has told nothing yet is waited for.
            if (Told[site] is not { } reached) return null;
            if (!reached.Reach.Contains(_site)) continue;
            wanted = wanted.With(site);
            lives[site] = reached.Life;
        }
        if (wanted.First != _site || !IsAllowed(wanted)) return null;
        var next = new OrderView(new OrderViewId(round + 1, _site, _life), wanted, lives, 0);
        if (_policy == CutPolicy.Majority && !IsEnough(LastOf(next), next)) return null;
        OrderView? now = Joined ?? View;
        bool isSame = now is not null && now.Sites == wanted && now.Lives.SequenceEqual(lives) && !HasLeft(wanted);
        return isSame && !(isAgain && Joined is not null) ? null : next;
    }

    // True when a site is in another view, and not on its way to this one: it went on without this site, unnoticed.
    private bool HasLeft(SiteSet sites)
    {
        if (Joined is not null) return false;
        for (int site = 0; site < Told.Length; site++)
        {
            if (site == _site || !sites.Contains(site)) continue;
            if (Told[site]!.View?.Id != View!.Id && Told[site]!.Joined?.Id != View.Id) return true;
        }
        return false;
    }

    private OrderView? ViewOf(int site) => site == _site ? View : Told[site]?.View;
}
