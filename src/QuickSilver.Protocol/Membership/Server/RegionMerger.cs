using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// Merges similar regions while there are more than the budgets allow, and takes merged ones apart when there is room
/// again. Members of a merged region filter what is not for them. Source: first paper, section 3, which proposes
/// regions of approximately the same membership; the policy is ours.
/// <para>
/// There are two budgets: one of regions, and one of regions of several nodes, since these need a multicast address.
/// While one is exceeded, the two regions are merged that filter the fewest packets for each copy they save
/// (<see cref="MergePrice"/>). A merged region is taken apart only when a quarter of the budgets stays free, so that
/// regions do not alternate. Below the budgets regions are exact.
/// </para>
/// <para>
/// The same changes in the same order give the same regions. Work in a step is bounded: a look at a pair costs the
/// groups of both, looks end after <see cref="MaxLooks"/> groups, and one merge at least is made. What is left is done
/// by the next steps.
/// </para>
/// </summary>
/// <param name="settings">The budgets.</param>
/// <param name="regions">Moves nodes.</param>
/// <param name="probes">Hooks of simulator tests.</param>
internal sealed class RegionMerger(MembershipServerSettings settings, RegionCalculator regions, Probes probes)
{
    /// <summary>Groups that are looked at in one step, as far as they decide what is merged.</summary>
    public const int MaxLooks = 1 << 21;

    private readonly List<RegionBundle> _bundles = [];
    private readonly List<RegionBundle> _changed = [];
    private uint _lastNumber;
    private int _several;

    /// <summary>True when regions are to be merged that could not be in the step before.</summary>
    public bool IsBehind { get; private set; }

    /// <summary>Regions that carry the nodes of several homes.</summary>
    public int MergedCount { get; private set; }

    /// <summary>Groups that the last plan looked at to compare regions.</summary>
    public long Looks { get; private set; }

    private bool IsOverAll => _bundles.Count > settings.MaxRegions;

    private bool IsOverSeveral => _several > settings.MaxMulticastRegions;

    /// <summary>Notes that a node has another home, or none any longer.</summary>
    /// <param name="node">The node, in its new home.</param>
    /// <param name="former">Its former home; null when it had none.</param>
    public void OnMoved(ServerNode node, ServerRegion? former)
    {
        RegionBundle? from = former?.Bundle;
        if (from is not null)
        {
            MarkChanged(from);
            from.Population--;
            if (former!.Residents.Count == 0)
            {
                from.Homes.Remove(former);
                former.Bundle = null;
            }
        }
        if (node.Home is not { } home) return;
        if (home.Bundle is null)
        {
            bool stays = from is { Homes.Count: > 0 } && SortedCounters.IsSubset(home.Groups, from.Groups);
            if (stays) probes.Reached("a node changes its groups within a merged region");
            home.Bundle = stays ? from : Add();
            home.Bundle!.Homes.Add(home);
        }
        home.Bundle.Population++;
        MarkChanged(home.Bundle);
    }

    /// <summary>Decides what is merged, once all nodes have the homes of the step.</summary>
    public void Plan()
    {
        foreach (RegionBundle bundle in _changed) Refresh(bundle);
        _bundles.RemoveAll(static bundle => bundle.Homes.Count == 0);
        _several = _bundles.Count(static bundle => bundle.Population > 1);
        Looks = 0;
        bool isExact = !IsOverAll && !IsOverSeveral;
        IsBehind = false;
        while (IsOverAll || IsOverSeveral)
        {
            if (FindCheapest(!IsOverAll) is not { } price)
            {
                IsBehind = true;
                break;
            }
            Merge(price);
            if (Looks < MaxLooks) continue;
            IsBehind = IsOverAll || IsOverSeveral;
            break;
        }
        if (isExact) TakeApart();
        foreach (RegionBundle bundle in _changed) FindCarrier(bundle);
        MergedCount = _bundles.Count(static bundle => bundle.Homes.Count > 1);
    }

    /// <summary>The region that carries a home's nodes, by the last plan.</summary>
    public static ServerRegion? CarrierOf(ServerRegion? home) => home?.Bundle?.Carrier;

    /// <summary>Finds the nodes that the plan moves although their homes are the same, in a fixed order.</summary>
    public List<ServerNode> TakeCarried()
    {
        var carried = new List<ServerNode>();
        foreach (RegionBundle bundle in _changed)
        {
            bundle.IsChanged = false;
            foreach (ServerRegion home in bundle.Homes)
            {
                foreach (ServerNode node in home.Residents)
                {
                    if (!regions.HasMoved(node) && node.Region != bundle.Carrier) carried.Add(node);
                }
            }
        }
        _changed.Clear();
        return carried;
    }

    private RegionBundle Add()
    {
        var bundle = new RegionBundle(++_lastNumber);
        _bundles.Add(bundle);
        return bundle;
    }

    private void MarkChanged(RegionBundle bundle)
    {
        if (bundle.IsChanged) return;
        bundle.IsChanged = true;
        _changed.Add(bundle);
    }

    private static void Refresh(RegionBundle bundle)
    {
        bundle.Version++;
        if (bundle.Homes.Count == 0) return;
        uint[] groups = bundle.Homes[0].Groups;
        for (int index = 1; index < bundle.Homes.Count; index++)
            groups = SortedCounters.Union(groups, bundle.Homes[index].Groups);
        bundle.Groups = groups;
    }

    private void FindCarrier(RegionBundle bundle)
    {
        if (bundle.Homes.Count == 0) return;
        bundle.Carrier = bundle.Homes is [{ IsAtLimit: false } alone]
            ? alone
            : regions.FindCarrier(bundle.Groups, bundle.Carrier);
    }

    // Looks begin with bundles that have not looked since they, or their partner, have changed.
    private MergePrice? FindCheapest(bool amongSeveral)
    {
        MergePrice? cheapest = null;
        foreach (RegionBundle bundle in _bundles)
        {
            if ((amongSeveral && bundle.Population < 2) || bundle.IsAtLimit) continue;
            if (bundle.Best is not { } best || !best.IsValid(amongSeveral) || best.Partner.IsAtLimit)
            {
                if (cheapest is not null && Looks >= MaxLooks) continue;
                bundle.Best = FindPartner(bundle, amongSeveral);
            }
            if (bundle.Best?.IsBetterThan(cheapest) == true) cheapest = bundle.Best;
        }
        return cheapest;
    }

    private MergePrice? FindPartner(RegionBundle bundle, bool amongSeveral)
    {
        MergePrice? best = null;
        foreach (RegionBundle other in _bundles)
        {
            if (other == bundle || (amongSeveral && other.Population < 2) || other.IsAtLimit) continue;
            Looks += bundle.Groups.Length + other.Groups.Length;
            MergePrice price = MergePrice.Compute(bundle, other, amongSeveral);
            if (price.IsBetterThan(best)) best = price;
        }
        return best;
    }

    private void Merge(MergePrice price)
    {
        probes.Reached("the server merges two regions");
        (RegionBundle into, RegionBundle gone) =
            price.Of.Number < price.Partner.Number ? (price.Of, price.Partner) : (price.Partner, price.Of);
        if (into.Population > 1 && gone.Population > 1) _several--;
        else if (into.Population + gone.Population == 2) _several++;
        foreach (ServerRegion home in gone.Homes) home.Bundle = into;
        into.Homes.AddRange(gone.Homes);
        into.Groups = SortedCounters.Union(into.Groups, gone.Groups);
        into.Population += gone.Population;
        into.Version++;
        gone.Homes.Clear();
        gone.Version++;
        _bundles.Remove(gone);
        MarkChanged(into);
    }

    // The bundle that filters most comes first; one a step.
    private void TakeApart()
    {
        RegionBundle? worst = null;
        foreach (RegionBundle bundle in _bundles)
        {
            if (bundle.Homes.Count == 1 || bundle.IsAtLimit || !HasRoomFor(bundle)) continue;
            if (worst is null || bundle.Filtered > worst.Filtered) worst = bundle;
        }
        if (worst is null) return;
        probes.Reached("the server takes a merged region apart");
        for (int index = 1; index < worst.Homes.Count; index++)
        {
            ServerRegion home = worst.Homes[index];
            RegionBundle alone = Add();
            alone.Homes.Add(home);
            alone.Groups = home.Groups;
            alone.Population = home.Residents.Count;
            home.Bundle = alone;
            MarkChanged(alone);
        }
        worst.Homes.RemoveRange(1, worst.Homes.Count - 1);
        worst.Population = worst.Homes[0].Residents.Count;
        MarkChanged(worst);
        Refresh(worst);
    }

    private bool HasRoomFor(RegionBundle bundle)
    {
        int several = _several - 1 + bundle.Homes.Count(static home => home.Residents.Count > 1);
        return _bundles.Count + bundle.Homes.Count - 1 <= settings.MaxRegions - (settings.MaxRegions / 4)
            && several <= settings.MaxMulticastRegions - (settings.MaxMulticastRegions / 4);
    }
}
