using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Ordering;

namespace QuickSilver.Fuzz.Targets;

/// <summary>Records of the order of all sites, as another site's gateway sends them: the decoder, and a site that takes
/// one.</summary>
internal static class OrderTargets
{
    private const int Sites = 3;

    /// <summary>Both.</summary>
    public static IEnumerable<FuzzTarget> All()
    {
        byte[][] valid = [.. Records().Select(static record => record.ToBytes())];
        // A number of one byte becomes eight, and each site has several.
        yield return new DelegateTarget("order-record", valid, static input => Read(input) is not null)
        {
            PerByte = 32,
            Fixed = 1024,
        };
        yield return new DelegateTarget("order-site", valid, TryTake) { PerByte = 128, Fixed = 64 << 10 };
    }

    private static OrderRecord? Read(Span<byte> input) => OrderRecord.Read(input.ToArray());

    private static bool TryTake(Span<byte> input)
    {
        if (Read(input) is not { } record) return false;
        (SiteMerge merge, _) = Pair();
        OrderedContent? content = record.HasContent ? new OrderedContent([], [], 1, record.Body) : null;
        merge.OnRecord(1, record, content);
        merge.OnReach(SiteSet.Of(0).With(1));
        merge.OnStands();
        while (merge.TryTake(out _))
        {
        }
        return true;
    }

    // What two of three sites tell, before and in a view.
    private static IEnumerable<OrderRecord> Records()
    {
        (SiteMerge first, SiteMerge second) = Pair();
        yield return second.TellState();
        yield return second.Tell();
        second.OnLocal(new OrderedContent([], [], 1, new byte[] { 1, (byte)'a', 7 }));
        OrderedEntry own = second.Find(1, 1)!;
        yield return OrderRecord.Of(own, isOwn: true);
        yield return OrderRecord.Of(own, isOwn: false);
        yield return first.TellState();
        first.OnReach(SiteSet.Of(0));
        yield return first.TellState();
    }

    private static (SiteMerge First, SiteMerge Second) Pair()
    {
        var first = new SiteMerge(0, Sites, 5, CutPolicy.Majority);
        SiteMerge[] others =
            [new SiteMerge(1, Sites, 6, CutPolicy.Majority), new SiteMerge(2, Sites, 7, CutPolicy.Majority)];
        SiteMerge[] all = [first, .. others];
        for (int round = 0; round < 4; round++)
        {
            foreach (SiteMerge from in all)
            {
                OrderRecord state = from.TellState();
                foreach (SiteMerge to in all) to.OnRecord(from.Site, state, null);
            }
        }
        return (first, others[0]);
    }
}
