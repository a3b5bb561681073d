using QuickSilver.Fuzz.Worlds;

namespace QuickSilver.Fuzz.Targets;

/// <summary>Datagrams of a link between sites, behind its seal: hellos, packets with all kinds of records, feedback,
/// parity.</summary>
internal static class SiteTargets
{
    /// <summary>All of them, at a gateway.</summary>
    public static IEnumerable<FuzzTarget> All()
    {
        var world = new GatewayWorld();
        // What it sends in answer is recorded here, and a record is kept.
        yield return new DelegateTarget("site-link", world.Valid, world.Try) { PerByte = 16, Fixed = 64 << 10 };
    }
}
