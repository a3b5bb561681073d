using QuickSilver.Protocol.Sites.Ordering;

namespace QuickSilver.WideArea.Ordering;

/// <summary>Makes statistics of what a member of the order knows.</summary>
internal static class OrderFigures
{
    /// <summary>Those of a member.</summary>
    public static SiteOrderStatistics Of(OrderMember member) => member.Look(static replica =>
    {
        if (replica?.Merge is not { } merge) return new SiteOrderStatistics { Rejected = replica?.Rejected ?? 0 };
        int waits = merge.WaitsFor();
        return new SiteOrderStatistics
        {
            Site = replica.Names[merge.Site],
            HasBegun = merge.Own.HasBegun,
            Sites = [.. replica.Names.Where(
                (_, index) => merge.Agreement.View is { } view && view.Sites.Contains(index))],
            WaitsFor = waits < 0 ? null : replica.Names[waits],
            Waiting = merge.Waiting.Count,
            Unacknowledged = (long)merge.Own.Unacknowledged,
            Duplicates = (long)merge.Duplicates,
            Rejected = replica.Rejected,
        };
    });
}
